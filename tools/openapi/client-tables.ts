import { type Document, documentedAs, parametersIn, successOf } from './client-types.ts';
import type { DescribedOperation } from './described-operation.ts';
import { docComment, type JsonSchema } from './type-text.ts';

/** Names that do not follow from the route. */
const NAMES: Readonly<Record<string, string>> = {
  submitClip: 'clips submit',
  submitBatch: 'clips submit-batch',
  planClip: 'clips plan',
  uploadAsset: 'assets upload',
  inspectDemo: 'demos inspect',
  getViewing: 'viewing get',
  getUsage: 'usage',
  revokeOwnKey: 'keys revoke',
};
const VERBS: Readonly<Record<string, string>> = {
  'GET ': 'list',
  'GET :id': 'get',
  'POST ': 'create',
  'PATCH ': 'change',
  'PATCH :id': 'change',
  'DELETE :id': 'delete',
};

/**
 * Returns the name of an account's operation in the clients, after its route: `GET /api/jobs/:id` is `jobs get`, and
 * `POST /api/jobs/:id/resend-webhook` is `jobs resend-webhook`.
 */
function nameOf({ id, method, path }: DescribedOperation): string {
  const [noun = '', ...rest] = path.replace('/api/', '').replace('webhook-secrets', 'webhooks secrets').split('/');
  return NAMES[id] ?? `${noun} ${rest.find((part) => !part.startsWith(':')) ?? VERBS[`${method} ${rest.join('/')}`]}`;
}

/** Operations of accounts that the client and the command line each call in their own way. */
const BY_HAND = [
  ...['submitBatch', 'inspectDemo', 'createUpload', 'completeUpload', 'sendUploadPart', 'ingestDemo', 'ingestFaceit'],
  ...['uploadAsset', 'listRules', 'tryRule', 'watchJob', 'watchEvents'],
];

/** Operations whose methods do more than one call, or have other arguments than the operation. */
const METHODS_BY_HAND = [...BY_HAND, 'submitClip', 'getDemo', 'createOwnKey', 'revokeOwnKey'];

interface Tree {
  [name: string]: Tree | { readonly doc: string; readonly id: string };
}

/** Writes the methods of the client of an account: which operation each calls, and with what. */
export function formatMethods(document: Document, operations: readonly DescribedOperation[]): string {
  const tree: Tree = {};
  const rows = operations.flatMap((one) => {
    if (one.key !== 'apiKey' || METHODS_BY_HAND.includes(one.id)) return [];
    const operation = documentedAs(document, one);
    const path = nameOf(one).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const [name = '', ...groups] = path.split(' ').reverse();
    const group = groups.reduceRight((above, word) => {
      above[word] ??= {};
      return above[word] as Tree;
    }, tree);
    group[name] = { doc: `${operation.summary}.`, id: one.id };
    const { properties = {} } = resolve(document, successOf(operation)['application/json']?.schema);
    const isOfOne = one.path.includes(':');
    const takes = [
      ...(isOfOne ? ['id'] : []),
      ...(operation.requestBody ? ['body'] : []),
      ...(!isOfOne && operation.parameters?.some((one) => one.in === 'query') ? ['query'] : []),
    ];
    const items = properties.next_cursor && Object.keys(properties).find((field) => properties[field]?.items);
    return [`  ${one.id}: ${JSON.stringify({ path, takes, items })},\n`];
  });
  const types = `/** The operation that each method calls. */\nexport interface AccountMethods ${treeText(tree)}`;
  return `\n${types}\n\nexport const METHODS = {\n${rows.join('')}};\n`;
}

function treeText(tree: Tree, indent = ''): string {
  const lines = Object.entries(tree).map(([name, one]) => {
    const [doc, text] =
      typeof one.id === 'string' ? [`${one.doc}`, `'${one.id}'`] : ['', treeText(one as Tree, `${indent}  `)];
    return `${docComment(doc, `${indent}  `)}${indent}  ${name}: ${text};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

/** Operations of accounts that no command calls, or whose commands have other arguments. */
const COMMANDS_BY_HAND = [...BY_HAND, 'planClip', 'createRule', 'changeRule'];

/** Writes the commands of accounts: the operation of each, and its fields. */
export function formatAccountCommands(document: Document, operations: readonly DescribedOperation[]): string {
  const own = operations.filter(({ key, id }) => key === 'apiKey' && !COMMANDS_BY_HAND.includes(id));
  return tableText(document, 'ACCOUNT_COMMANDS', own, (one, fields) => {
    // It has a command of its own, with options for these fields.
    if (one.id === 'submitClip') return undefined;
    const [name = '', ...groups] = nameOf(one).split(' ').reverse();
    const noun = (groups[0] ?? '').replace(/s$/, '');
    // Each required field of a body is an argument.
    const needed = Object.keys(fields).filter((field) => fields[field]?.isRequired);
    const args = [...(one.path.includes(':id') ? [noun] : []), ...needed].map((arg) => `<${arg}>`);
    return [...groups.reverse(), name === 'get' ? 'show' : name, ...args].join(' ');
  });
}

/** Writes the operations of operators, for commands and forms. A row without a line has a command of its own. */
export function formatOperatorCommands(document: Document, operations: readonly DescribedOperation[]): string {
  const own = operations.filter(({ key }) => key === 'operatorToken');
  return tableText(document, 'OPERATOR_COMMANDS', own, ({ words }) => words.command, true);
}

/** A field of a query or a body. What does not apply is undefined. */
interface Field {
  /** Undefined for a text. */
  readonly kind: 'integer' | 'number' | 'boolean' | 'flag' | 'array' | 'object' | 'time' | undefined;
  readonly about: string | undefined;
  readonly values: readonly unknown[] | undefined;
  readonly isNullable: true | undefined;
  readonly isRequired: true | undefined;
  /** The fields of an object. */
  readonly fields: Readonly<Record<string, Partial<Field>>> | undefined;
  /** The attributes of its input. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
}

/** Writes a row for each operation, with a line for each field. */
function tableText(
  document: Document,
  name: string,
  operations: readonly DescribedOperation[],
  lineOf: (one: DescribedOperation, fields: Readonly<Record<string, Field>>) => string | undefined,
  hasInputs = false,
): string {
  const rows = operations.map((one) => {
    const operation = documentedAs(document, one);
    const query = parametersIn('query', operation);
    const body = resolve(document, operation.requestBody?.content['application/json']?.schema);
    const needed = [...query.required, ...(body.required ?? [])];
    const fields = Object.fromEntries(
      Object.entries({ ...query.properties, ...body.properties }).map(([field, schema]) => [
        field,
        {
          ...fieldOf(document, one.method, field, schema),
          isRequired: needed.includes(field) || undefined,
          input: hasInputs ? inputOf(resolve(document, schema)) : undefined,
        },
      ]),
    );
    const about = operation.summary.replace(/^./, (letter) => letter.toLowerCase());
    const row = { line: lineOf(one, fields), about, place: operation.requestBody ? 'body' : undefined };
    const lines = Object.entries(fields).map(([field, described]) => `    ${field}: ${JSON.stringify(described)},\n`);
    const block = lines.length === 0 ? '' : `, fields: {\n${lines.join('')}  }`;
    return `  ${one.id}: {${JSON.stringify(row).slice(1, -1)}${block}},\n`;
  });
  return `\nexport const ${name} = {\n${rows.join('')}};\n`;
}

function fieldOf(
  document: Document,
  method: string,
  name: string,
  given: JsonSchema,
): Omit<Field, 'isRequired' | 'input'> {
  const schema = resolve(document, given);
  const types = typesOf(schema);
  const values = [schema, ...(schema.anyOf ?? [])].flatMap((part) => part.enum ?? []);
  const kinds = ['object', 'array', 'integer', 'number', 'boolean'] as const;
  // An option takes the words of a union, not its objects.
  const hasWords = values.length > 0 && types.includes('object');
  const type = name === 'include' ? 'array' : hasWords ? undefined : kinds.find((kind) => types.includes(kind));
  // In a request that acts, true is enough: false is what happens without it.
  const isFlag = type === 'boolean' ? method !== 'PATCH' : String(values) === 'true,false' && method !== 'GET';
  const only = isFlag ? (values[0] ?? true) : schema.const;
  return {
    kind: only === undefined ? (schema.format === 'date-time' ? 'time' : type) : 'flag',
    // The first sentence; the reference has all.
    about: (given.description ?? schema.description)?.replace(/(?<=[.]) .*$/s, ''),
    values: only === undefined ? (values.length > 0 ? values : undefined) : [only],
    isNullable: types.includes('null') || undefined,
    fields:
      type === 'object'
        ? Object.fromEntries(
            Object.entries(schema.properties ?? {}).map(([name, inner]) => [
              name,
              fieldOf(document, method, name, inner),
            ]),
          )
        : undefined,
  };
}

function inputOf(schema: JsonSchema): Readonly<Record<string, unknown>> | undefined {
  const { minimum: min, maximum: max, maxLength, description = '' } = schema;
  const [, text] = /Default: `(.+?)`\./.exec(description) ?? [];
  // An empty field is null, false or an empty list already.
  const value = text && !/^(null|false|\[\])$/.test(text) ? JSON.parse(text) : undefined;
  const given = Object.entries({ min, max, maxLength, value });
  const known = given.filter(([, one]) => one !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

const typesOf = ({ type = [], anyOf = [] }: JsonSchema): string[] => [type, anyOf.map(typesOf)].flat(3);

function resolve({ components }: Document, schema: JsonSchema = {}): JsonSchema {
  return schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
}
