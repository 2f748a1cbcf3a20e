import { readFileSync } from 'node:fs';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { RouteLine } from '#protocol/lib/routes.ts';
import type { TimelineSegment } from '../index.ts';
import { ACCOUNT_COMMANDS, API_ROUTES } from '../shapes.ts';
import { asClient, bind } from './settings.ts';

/** Parsers of option values. Each throws an `InvalidArgumentError`, which names the option. */

export function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It has to be a whole number.');
  return Number(text);
}

export function decimal(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It has to be a number.');
  return Number(text);
}

export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It has to be JSON; a text is written in quotes.');
  }
}

export function jsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

export function objectFile(path: string): object {
  const value = jsonFile(path);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidArgumentError('It has to be a JSON object.');
}

/** Parses `76561198000000001:12800-13440`, or the same with `@0.5` for its speed, and appends it to `before`. */
export function segment(text: string, before: readonly TimelineSegment[] = []): TimelineSegment[] {
  const [, steam64_id, start, end, speed] = /^(\d+):(\d+)-(\d+)(?:@(\d+(?:\.\d+)?))?$/.exec(text) ?? [];
  if (steam64_id === undefined)
    throw new InvalidArgumentError('It has to be PLAYER:START-END or PLAYER:START-END@SPEED, in ticks.');
  const range = { steam64_id, start_tick: Number(start), end_tick: Number(end) };
  return [...before, speed === undefined ? range : { ...range, speed: Number(speed) }];
}

/** Parses `name=value` and adds it to `before`. */
export function setting(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^(\w+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It has to be NAME=VALUE.');
  return { ...before, [name]: value };
}

type Values = Readonly<Record<string, unknown>>;
/** Calls the operation of a command with the fields of its query or body. */
export type Call = (fields: Values) => Promise<Values>;

/** A field of the query or the body of an operation. */
export interface CommandField {
  /** Undefined for a text. */
  readonly kind?: string;
  readonly about?: string;
  readonly values?: readonly unknown[];
  readonly isNullable?: boolean;
  readonly isRequired?: boolean;
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, CommandField>>;
}

/** The command of an operation. */
interface Row {
  readonly line?: string;
  readonly about: string;
  /** Where the fields are sent; undefined for the query. */
  readonly place?: string;
  readonly fields?: Readonly<Record<string, CommandField>>;
}

/** The operations that commands call. The service checks what it is sent. */
export interface Api {
  readonly routes: Readonly<Record<string, RouteLine>>;
  readonly rows: Readonly<Record<string, Row>>;
  readonly connect: (command: Command) => { call(name: never, input: never): Promise<unknown> };
}

const ACCOUNT: Api = { routes: API_ROUTES, rows: ACCOUNT_COMMANDS, connect: asClient };

/** The parts of a command that its operation lacks. */
export interface OperationCommand {
  readonly line?: string;
  readonly about?: string;
  /** Fields that the body always has. Such a command has no options. */
  readonly body?: Values;
  /** Runs the command; by default it makes one call. */
  readonly run?: (call: Call, fields: Values) => Promise<unknown>;
}

/** What parsers return for null: commander takes null for an option without a value. */
const NULL = Symbol('null');

/** Options that have another name than their field. */
export const RENAMED: Readonly<Record<string, string>> = {
  slots: 'provisioned_slots',
  hours: 'expires_in_hours',
  player: 'steam64_id',
  segment: 'timeline',
  command: 'commands',
  watermark: 'watermark_image_id',
  intro: 'intro_asset_id',
  outro: 'outro_asset_id',
  music: 'music_asset_id',
  key: 'idempotency_key',
};
const SHORT = Object.fromEntries(Object.entries(RENAMED).map(([name, field]) => [field, name]));
const fieldOf = (name: string): string => RENAMED[name] ?? name.replaceAll('-', '_');

/** Adds the commands of accounts, each to the group that its line names. `more`: by operations. */
export function addAccountCommands(program: Command, more: Readonly<Record<string, OperationCommand>>): Command {
  return addOperations(program, ACCOUNT, more);
}

export function addOperations(
  parent: Command,
  api: Api,
  more: Readonly<Record<string, OperationCommand>> = {},
): Command {
  for (const [operation, { line }] of Object.entries(api.rows)) {
    if (line !== undefined) addOperation(parent, api, operation, more[operation]);
  }
  return parent;
}

/**
 * Adds the command of an operation. Of a line such as `keys create <account> <kind>`, the first arguments are the
 * parameters of the path. All others, and the options, are fields of the query or the body.
 */
export function addOperation(parent: Command, api: Api, operation: string, given: OperationCommand = {}): void {
  const { about, place = 'query', fields = {}, line = '' } = { ...(api.rows[operation] as Row), ...given };
  const { body, run = (call: Call, typed: Values) => call(typed) } = given;
  const [words = '', ...args] = line.split(/ (?=[<[])/);
  const [name = '', ...groups] = words.split(' ').reverse();
  const inGroup = (above: Command, word: string) => above.commands.find((one) => one.name() === word);
  const group = groups.reduceRight((above, word) => inGroup(above, word) ?? above.command(word), parent);
  const command = group.command(name).description(about);
  const params = [...(api.routes[operation] ?? '').matchAll(/:(\w+)/g)].map(([, param = '']) => param);
  const places = args.map((text, i) => {
    const argument = new Argument(text);
    const field = params[i] ?? fieldOf(argument.name());
    command.addArgument(describe(argument, fields[field] ?? {}));
    return field;
  });
  const free = Object.entries(fields).filter(([field]) => body === undefined && !places.includes(field));
  const options = free.flatMap(([field, described]) => [
    optionOf(field, described),
    ...(described.kind === 'boolean' ? [new Option(`--no-${nameOf(field)}`)] : []),
  ]);
  for (const option of options) command.addOption(option);
  bind(command, api.connect, (client, typed, opts) => {
    const [inPath, sent]: [Record<string, unknown>, Record<string, unknown>] = [{}, { ...body }];
    places.forEach((field, i) => {
      if (typed[i] !== undefined) (i < params.length ? inPath : sent)[field] = command.processedArgs[i];
    });
    for (const option of options) {
      const value = opts[option.attributeName()];
      if (value !== undefined) sent[fieldOf(option.name().replace(/^no-/, ''))] = value === NULL ? null : value;
    }
    const send = (more: Values) => client.call(operation as never, { params: inPath, [place]: more } as never);
    return run(send as Call, sent);
  });
}

const nameOf = (field: string): string => (SHORT[field] ?? field).replaceAll('_', '-');

export function optionOf(field: string, described: CommandField): Option {
  const { kind, about, values = [], isRequired = false } = described;
  const name = nameOf(field);
  if (kind === 'flag' || kind === 'boolean') return new Option(`--${name}`, about).preset(values[0] ?? true);
  const word = [name, ...emptyWordsOf(described)].join('|') + (kind === 'array' || kind === 'object' ? '...' : '');
  return describe(new Option(`--${name} <${word}>`, about).makeOptionMandatory(isRequired), described);
}

/** The words for an empty list and for null. */
const emptyWordsOf = ({ kind, isNullable }: CommandField): string[] => [
  ...(kind === 'array' || isNullable ? ['none'] : []),
  ...(isNullable ? ['any'] : []),
];

/** Sets the choices and the parser of an argument or an option. */
function describe<Holder extends Argument | Option>(holder: Holder, field: CommandField): Holder {
  const { kind, about, values, fields } = field;
  const emptyWords = emptyWordsOf(field);
  holder.description ||= about ?? '';
  if (values) holder.choices([...values.map(String), ...emptyWords]);
  const check = values && holder.parseArg;
  holder.argParser((text: string, before: unknown) => {
    check?.(text, undefined as never);
    if (kind === 'object') return { ...Object(before), ...entryOf(fields, text) };
    const list = kind === 'array' ? (Array.isArray(before) ? before : []) : null;
    if (!emptyWords.includes(text)) return list ? [...list, text] : scalarOf(kind, text);
    return list && text === 'none' ? list : NULL;
  });
  return holder;
}

function scalarOf(kind: string | undefined, text: string): string | number {
  return kind === 'integer' ? wholeNumber(text) : kind === 'number' ? decimal(text) : text;
}

/** Reads `jobs=50000`. */
function entryOf(fields: CommandField['fields'] = {}, text: string): Values {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
  const field = fields[name];
  if (field) return { [name]: scalarOf(field.kind, value) };
  throw new InvalidArgumentError(`It has to be NAME=VALUE, and NAME one of ${Object.keys(fields).join(', ')}.`);
}
