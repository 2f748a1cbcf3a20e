import type { ProblemKind } from '#protocol/lib/problem.ts';
import type { DescribedOperation } from './described-operation.ts';
import { problemsOf } from './problems.ts';
import { docComment, formatType, type JsonSchema, openUnion, referredNames } from './type-text.ts';

/** Schemas of the client's types that no operation refers to. */
const ALSO = ['Problem', 'WebhookEvent', 'RuleEnded'];

export interface Media {
  readonly schema?: JsonSchema;
}
export interface DocumentedOperation {
  readonly summary: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const HEAD = '/* Written by `npm run openapi` out of the operations of the service. */\n';

/**
 * Writes the client's part of the API in TypeScript: every schema that the operations of accounts use under its name,
 * with its descriptions, what each operation takes and answers, its address, and whether it may be repeated.
 */
export function formatAccountTypes(document: Document, operations: readonly DescribedOperation[]): string {
  const { own, text, schemas, kinds } = accountPart(document, operations);
  const codes = `/** The kinds of problems: \`/docs/problems\` of the service. */\nexport type ProblemCode = ${openUnion(kinds)};\n`;
  const parts = [...declarations(document, schemas), codes, text];
  const repeatable = own.flatMap(({ id, operation }) => (operation.repeatable ? [[id, operation.repeatable]] : []));
  const table = `export const REPEATABLE: Readonly<Record<string, 'always' | 'by key'>> = {\n${linesOf(repeatable)}};\n`;
  return `${HEAD}\n${[...parts, routesOf(own, 'API_ROUTES'), table].join('\n')}`;
}

/**
 * Returns the same for the operations of operators and of their console. Schemas that `formatAccountTypes` writes from
 * the document of accounts are imported.
 */
export function formatOperatorTypes(
  document: Document,
  account: Document,
  operations: readonly DescribedOperation[],
): string {
  const own = operations.filter(({ key }) => key === 'operatorToken' || key === 'consoleSession');
  const { text, names } = operationsOf(document, own, 'OperatorOperations');
  const shared = accountPart(account, operations).schemas;
  const all = [...closure(document, names)];
  const parts = [...declarations(document, new Set(all.filter((name) => !shared.has(name)))), text];
  // Only this checkout uses these types, and the API document has the descriptions.
  const body = [...parts, routesOf(own, 'OPERATOR_ROUTES')].join('\n').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '');
  const imported = all.filter((name) => shared.has(name) && new RegExp(`\\b${name}\\b`).test(body)).sort();
  return `${HEAD}import type { ${imported.join(', ')} } from './shapes.ts';\n\n${body}`;
}

/** The operations of accounts, their text, the names of all schemas that they use, and the problems of clients. */
interface AccountPart {
  readonly own: readonly DescribedOperation[];
  readonly text: string;
  readonly schemas: ReadonlySet<string>;
  readonly kinds: readonly ProblemKind[];
}

export function accountPart(document: Document, operations: readonly DescribedOperation[]): AccountPart {
  const own = operations.filter(({ key }) => key === 'apiKey');
  const { text, names } = operationsOf(document, own, 'AccountOperations');
  const clients = operations.filter(({ tag }) => tag !== 'Gateway' && tag !== 'Administration');
  const kinds = [...new Set(clients.flatMap(problemsOf))].sort();
  return { own, text, schemas: closure(document, [...names, ...ALSO]), kinds };
}

/** Writes an interface with the operations, and the schemas that they use. */
function operationsOf(
  document: Document,
  operations: readonly DescribedOperation[],
  name: string,
): { text: string; names: string[] } {
  const names: string[] = [];
  const lines = operations.map((described) => {
    const operation = documentedAs(document, described);
    const { id } = described;
    names.push(...referredNames([operation.parameters, operation.requestBody, operation.responses]));
    return `${docComment(`${operation.summary}.`, '  ')}  ${id}: {\n${inputOf(operation)}    ${answerOf(operation)};\n  };\n`;
  });
  return { text: `export interface ${name} {\n${lines.join('')}}\n`, names };
}

/** Returns an operation as the document has it. */
export function documentedAs(document: Document, { id, method, path }: DescribedOperation): DocumentedOperation {
  const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${id} is not in the document`);
  return operation;
}

function routesOf(operations: readonly DescribedOperation[], name: string): string {
  return `export const ${name} = {\n${linesOf(operations.map(({ id, operation }) => [id, operation.route]))}} as const;\n`;
}

function linesOf(entries: readonly (readonly string[])[]): string {
  return entries.map(([name, value]) => `  ${name}: '${value}',\n`).join('');
}

/** Returns the named schemas and all that they refer to. */
function closure({ components: { schemas } }: Document, names: readonly string[]): Set<string> {
  const found = new Set(names.filter((name) => name in schemas));
  for (const name of found) for (const next of referredNames(schemas[name])) found.add(next);
  return found;
}

function declarations({ components: { schemas } }: Document, names: ReadonlySet<string>): string[] {
  return [...names].sort().map((name) => declaration(name, schemas[name] ?? {}));
}

function declaration(name: string, schema: JsonSchema): string {
  const comment = docComment(schema.description);
  const text = formatType(schema);
  return `${comment}export ${text.startsWith('{') ? `interface ${name} ${text}` : `type ${name} = ${text};`}\n`;
}

/** Returns the schema of an object with the parameters in the path or in the query. */
export function parametersIn(
  place: 'path' | 'query',
  { parameters = [] }: DocumentedOperation,
): Required<Pick<JsonSchema, 'type' | 'properties' | 'required'>> {
  const here = parameters.filter((parameter) => parameter.in === place);
  const entries = here.map(({ name, schema, description }): [string, JsonSchema] => {
    return [name, description ? { ...schema, description } : schema];
  });
  const required = here.filter((one) => one.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(entries), required };
}

function inputOf(operation: DocumentedOperation): string {
  const fields: string[] = [];
  for (const [place, name] of [['path', 'params'] as const, ['query', 'query'] as const]) {
    const schema = parametersIn(place, operation);
    if (Object.keys(schema.properties).length === 0) continue;
    const text = formatType(schema, 2);
    fields.push(schema.required.length > 0 ? `${name}: ${text}` : `${name}?: ${text} | undefined`);
  }
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined)
    fields.push(`body: ${type === 'application/json' ? formatType(media?.schema ?? {}, 2) : 'Blob'}`);
  return fields.map((field) => `    ${field};\n`).join('');
}

/** Returns the contents of the answer that is a success, by their types. */
export function successOf({ responses }: DocumentedOperation): Readonly<Record<string, Media>> {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return answer?.content ?? {};
}

/** Returns the type of the answer of a call; for a stream, the shape of its events. */
function answerOf(operation: DocumentedOperation): string {
  const [type, media] = Object.entries(successOf(operation))[0] ?? [];
  if (type === undefined) return 'answer: undefined';
  if (type === 'text/event-stream') return `event: ${formatType(media?.schema?.contentSchema ?? {}, 2)}`;
  return `answer: ${type === 'application/json' ? formatType(media?.schema ?? {}, 2) : 'string'}`;
}
