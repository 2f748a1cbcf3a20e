import { readFileSync } from 'node:fs';
import { type Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { OPERATOR_ROUTES } from '../operator-shapes.ts';
import { asOperator } from './as-operator.ts';
import { addOperation, NULL, type OperationCommand, RENAMED } from './operation-commands.ts';
import { decimal, wholeNumber } from './parsers.ts';

/** The part of JSON Schema that queries and bodies of operations use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { in: string; name: string; description?: string; schema: Schema }[];
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } };
}

/** The description of the service. The operator's command line runs in a checkout, and reads it from there. */
const DOCUMENT = JSON.parse(
  readFileSync(new URL('../../../src/static/openapi/operator.json', import.meta.url), 'utf8'),
);
const OPERATIONS = Object.values<Record<string, Operation>>(DOCUMENT.paths).flatMap((path) => Object.values(path));

/** The parts of a command that the description of its operation lacks. */
export type Derived = Pick<OperationCommand, 'body' | 'run'> & {
  readonly operation: keyof typeof OPERATOR_ROUTES;
  readonly description?: string;
};

/**
 * Adds a command that calls an operation of the operator. Its arguments, options and help come from the description of
 * the service. A command with a body of its own has no options.
 */
export function addDerived(parent: Command, line: string, { body, run, ...given }: Derived): void {
  const {
    summary,
    parameters = [],
    requestBody,
  } = OPERATIONS.find(({ operationId }) => operationId === given.operation) as Operation;
  const { properties = {}, required = [] } = resolved(requestBody?.content['application/json'].schema ?? {});
  const params = parameters.map(({ name, description = '', schema }) => [name, { ...schema, description }] as const);
  const schemas: Readonly<Record<string, Schema>> = { ...Object.fromEntries(params), ...properties };
  const isArgument = (name: string) =>
    parameters.some((one) => one.name === name && one.in === 'path') || new RegExp(`[<[]${name}\\W`).test(line);
  const free = Object.keys(schemas).filter((name) => body === undefined && !isArgument(name));
  addOperation(parent, { routes: OPERATOR_ROUTES, connect: asOperator }, line, {
    description: summary.replace(/^./, (letter) => letter.toLowerCase()),
    ...given,
    options: free.map((name) => optionOf(name, resolved(schemas[name] ?? {}), required.includes(name))),
    body: requestBody && { ...body },
    run,
    describe: (argument, field) => describe(argument, resolved(schemas[field] ?? {})),
  });
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : DOCUMENT.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
}

const SHORT = Object.fromEntries(Object.entries(RENAMED).map(([name, field]) => [field, name]));

function optionOf(field: string, schema: Schema, isRequired: boolean): Option {
  const name = (SHORT[field] ?? field).replaceAll('_', '-');
  const types = typesOf(schema);
  if (schema.const !== undefined || types.includes('boolean')) {
    return new Option(`--${name}`, schema.description).preset(schema.const ?? true);
  }
  const isMany = types.includes('array') || types.includes('object');
  const word = types.includes('null') ? `${name}|none` : isMany ? `${name}...` : name;
  const option = new Option(`--${name} <${word}>`, schema.description).makeOptionMandatory(isRequired);
  describe(option, schema);
  return option;
}

const typesOf = ({ type = [], anyOf = [] }: Schema): string[] => [type, anyOf.map(typesOf)].flat(3);

/** Sets the choices and the parser of an argument or an option. */
function describe(holder: Argument | Option, schema: Schema): void {
  const types = typesOf(schema);
  const emptyWords = types.includes('array') ? ['none'] : types.includes('null') ? ['none', 'any'] : [];
  const choices = [schema, ...(schema.anyOf ?? [])].flatMap((one) => one.enum ?? []);
  holder.description ||= schema.description ?? '';
  if (choices.length > 0) holder.choices([...choices, ...emptyWords]);
  const check = choices.length > 0 ? holder.parseArg : undefined;
  holder.argParser((text: string, before: unknown) => {
    check?.(text, undefined);
    if (types.includes('object')) return { ...Object(before), ...entryOf(schema, text) };
    const isEmpty = emptyWords.includes(text);
    if (types.includes('array')) return [...(Array.isArray(before) ? before : []), ...(isEmpty ? [] : [text])];
    return isEmpty ? NULL : scalarOf(types, text);
  });
}

function scalarOf(types: readonly string[], text: string): string | number {
  if (types.includes('integer')) return wholeNumber(text);
  return types.includes('number') ? decimal(text) : text;
}

/** Reads `jobs=50000`. */
function entryOf({ properties = {} }: Schema, text: string): Record<string, string | number> {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
  const schema = properties[name];
  if (schema) return { [name]: scalarOf(typesOf(schema), value) };
  throw new InvalidArgumentError(`It has to be NAME=VALUE, and NAME one of ${Object.keys(properties).join(', ')}.`);
}
