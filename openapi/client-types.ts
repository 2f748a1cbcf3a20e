import { allOperations } from './all-operations.ts';
import { docComment, formatType, type JsonSchema, referredNames } from './type-text.ts';

/** Who calls what the client package has types for. */
const CALLERS: Record<string, string> = { apiKey: 'AccountOperations', operatorToken: 'OperatorOperations' };
/** Shapes that no operation of those names, and that clients meet all the same. */
const ALSO = ['Problem', 'WebhookEvent'];

interface Media {
  readonly schema?: JsonSchema;
}
interface Operation {
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
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/**
 * The shapes of the API in TypeScript, as the client package has them: every schema of the document under its name,
 * with its descriptions, and what each operation takes and answers.
 */
export function formatClientTypes(document: Document): string {
  const parts: string[] = [];
  const names = new Set(ALSO);
  for (const [key, name] of Object.entries(CALLERS)) {
    const lines = allOperations()
      .filter((operation) => operation.key === key)
      .map(({ id, method, path }) => {
        const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
        if (!operation) throw new Error(`${id} is not in the document`);
        for (const found of referredNames([operation.parameters, operation.requestBody, operation.responses])) {
          if (found in document.components.schemas) names.add(found);
        }
        return `${docComment(`${operation.summary}.`, '  ')}  ${id}: {\n${inputOf(operation)}    ${answerOf(operation)};\n  };\n`;
      });
    parts.push(`export interface ${name} {\n${lines.join('')}}\n`);
  }
  for (const name of names) for (const found of referredNames(document.components.schemas[name])) names.add(found);
  const shapes = [...names].sort().map((name) => declaration(name, document.components.schemas[name] ?? {}));
  return `/* Written by \`npm run openapi\` out of the shapes that the service checks with. */\n\n${[...shapes, ...parts].join('\n')}`;
}

function declaration(name: string, schema: JsonSchema): string {
  const comment = docComment(schema.description);
  const text = formatType(schema);
  return `${comment}export ${text.startsWith('{') ? `interface ${name} ${text}` : `type ${name} = ${text};`}\n`;
}

function inputOf({ parameters = [], requestBody }: Operation): string {
  const fields: string[] = [];
  for (const [place, name] of [
    ['path', 'params'],
    ['query', 'query'],
  ]) {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) continue;
    const schema: JsonSchema = {
      type: 'object',
      properties: Object.fromEntries(
        here.map((one) => [one.name, { ...one.schema, ...(one.description ? { description: one.description } : {}) }]),
      ),
      required: here.filter(({ required }) => required).map((one) => one.name),
    };
    fields.push(
      schema.required?.length ? `${name}: ${formatType(schema, 2)}` : `${name}?: ${formatType(schema, 2)} | undefined`,
    );
  }
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type !== undefined)
    fields.push(`body: ${type === 'application/json' ? formatType(media?.schema ?? {}, 2) : 'Blob'}`);
  return fields.map((field) => `    ${field};\n`).join('');
}

/** What a call resolves with. A stream of events has the shape of one instead. */
function answerOf({ responses }: Operation): string {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const [type, media] = Object.entries(answer?.content ?? {})[0] ?? [];
  if (type === undefined) return 'answer: undefined';
  if (type === 'text/event-stream') return `event: ${formatType(media?.schema?.contentSchema ?? {}, 2)}`;
  return `answer: ${type === 'application/json' ? formatType(media?.schema ?? {}, 2) : 'string'}`;
}
