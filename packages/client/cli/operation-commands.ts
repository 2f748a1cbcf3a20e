import { Argument, type Command, Option } from 'commander';
import type { RouteLine } from '#protocol/routes.ts';
import { API_ROUTES } from '../shapes.ts';
import { asClient, bind } from './bind.ts';
import { wholeNumber } from './parsers.ts';

type Values = Readonly<Record<string, unknown>>;
/** Calls the operation of a command with the fields of its query or body. */
export type Call = (fields: Values) => Promise<Values>;

/** The operations that commands call. The service checks what it is sent. */
export interface Api {
  readonly routes: Readonly<Record<string, RouteLine>>;
  readonly connect: (command: Command) => { call(name: never, input: never): Promise<unknown> };
}

export interface OperationCommand {
  readonly operation: string;
  readonly description: string;
  readonly options?: readonly Option[];
  /** Fields that the body always has. Without them, arguments and options go into the query. */
  readonly body?: Values | undefined;
  /** Runs the command; by default it makes one call. */
  readonly run?: ((call: Call, fields: Values) => Promise<unknown>) | undefined;
  /** Sets the choices of an argument. */
  readonly describe?: (argument: Argument, field: string) => void;
}

/** What parsers return for null: commander takes null for an option without a value. */
export const NULL = Symbol('null');

/** Options that have another name than their field. */
export const RENAMED: Readonly<Record<string, string>> = { slots: 'provisioned_slots', hours: 'expires_in_hours' };
const fieldOf = (name: string): string => RENAMED[name] ?? name.replaceAll('-', '_');

/**
 * Adds the command of a line such as `keys create <account> <kind>` to the group that the line names. The first
 * arguments are the parameters of the operation's path. All others, and the options, are fields of its query or body.
 */
export function addOperation(parent: Command, { routes, connect }: Api, line: string, given: OperationCommand): void {
  const { operation, options = [], body, run = (call: Call, fields: Values) => call(fields) } = given;
  const [words = '', ...args] = line.split(/ (?=[<[])/);
  const [name = '', ...groups] = words.split(' ').reverse();
  const inGroup = (above: Command, word: string) => above.commands.find((one) => one.name() === word);
  const group = groups.reduceRight((above, word) => inGroup(above, word) ?? above.command(word), parent);
  const command = group.command(name).description(given.description);
  const paramNames = [...(routes[operation] ?? '').matchAll(/:(\w+)/g)].map(([, param = '']) => param);
  const fieldNames = args.map((text, i) => {
    const argument = new Argument(text);
    const field = paramNames[i] ?? fieldOf(argument.name());
    given.describe?.(argument, field);
    command.addArgument(argument);
    return field;
  });
  for (const option of options) command.addOption(option);
  bind(command, connect, (client, typed, opts) => {
    const [params, fields]: [Record<string, unknown>, Record<string, unknown>] = [{}, { ...body }];
    fieldNames.forEach((field, i) => {
      if (typed[i] !== undefined) (i < paramNames.length ? params : fields)[field] = command.processedArgs[i];
    });
    for (const option of options) {
      const value = opts[option.attributeName()];
      if (value !== undefined) fields[fieldOf(option.name())] = value === NULL ? null : value;
    }
    const send = (more: Values) =>
      client.call(operation as never, { params, [body ? 'body' : 'query']: more } as never);
    return run(send as Call, fields);
  });
}

/** The options of every list. */
export const listOptions = (): Option[] => [
  new Option('--limit <number>', 'how many at most').argParser(wholeNumber),
  new Option('--cursor <cursor>', 'go on after a page: its next_cursor'),
  new Option('--created-from <time>', 'made then or later, as in 2026-01-31T12:00:00Z'),
  new Option('--created-to <time>', 'made before then'),
];

/** Adds commands of an account: the operation, the description and the options of each line. */
export function addOperations(
  group: Command,
  commands: Readonly<Record<string, readonly [keyof typeof API_ROUTES, description: string, ...options: Option[]]>>,
): Command {
  for (const [line, [operation, description, ...options]] of Object.entries(commands)) {
    addOperation(group, { routes: API_ROUTES, connect: asClient }, line, { operation, description, options });
  }
  return group;
}
