import { PROBLEMS } from '#protocol/problem.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { loadedPerService } from '#service/per-service.ts';
import { callTexts, LANGUAGES, type Language } from './call-text.ts';
import { guideSections } from './guide.ts';
import { markdownOf } from './markdown.ts';
import {
  type AddressedOperation,
  type OpenApiDocument,
  type OpenApiResponse,
  operationsOf,
  type Reference,
  resolveAnswer,
  resolveSchema,
  type Schema,
  tagsOf,
} from './openapi-document.ts';
import { quickstartTexts } from './quickstart.ts';
import { referenceOf } from './reference.ts';
import { objectWithin, typeName } from './schema-table.ts';

export const docsText = operation({
  route: PUBLIC_ROUTES.docsText,
  scope: 'public',
  handler: async (service) => sendText(await textOf(service), 'text/markdown'),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read the reference as Markdown',
  description: 'What clients need, as one text for terminals, editors and language models.',
  answers: { 200: { description: 'The text.', content: { types: ['text/markdown'] } } },
});

const textOf = loadedPerService(async (service) => drawText(await referenceOf(service)));

export function sendText(text: string, type: string): Response {
  return new Response(text, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

const FENCES: Record<Language, string> = { curl: 'sh', ts: 'ts', py: 'python', cli: 'sh' };

function drawText(of: Reference): string {
  const { document, baseUrl } = of;
  const quick = quickstartTexts(baseUrl);
  const guide = guideSections(of).map(({ id, title, body }) => {
    const codes = id === 'quickstart' ? Object.entries(quick) : [];
    const samples = codes.map(
      ([name, code]) => `${LANGUAGES[name as Language]}:\n\n${fenced(FENCES[name as Language], code)}`,
    );
    return [`## ${title}`, id === 'quickstart' ? withoutSamples(markdownOf(body)) : markdownOf(body), ...samples].join(
      '\n\n',
    );
  });
  const tags = tagsOf(document).map((tag) =>
    [`## ${tag}`, ...operationsOf(document, tag).map((addressed) => operationText(of, addressed))].join('\n\n'),
  );
  return `# Tickreel\n\n${document.info.description}\n\nThe service is at ${baseUrl}. As OpenAPI 3.1: ${baseUrl}${href(PUBLIC_ROUTES.openApi)}\n\n${[...guide, ...tags].join('\n\n')}\n`;
}

/** Cuts the samples off: the page has them in boxes, here they follow in fences. */
function withoutSamples(text: string): string {
  return text.slice(0, text.indexOf('\n\ncurl:'));
}

function operationText({ document, baseUrl }: Reference, addressed: AddressedOperation): string {
  const { method, path, operation } = addressed;
  const parts = [`### ${operation.summary}`, `\`${method} ${path}\``, operation.description];
  const parameters = (operation.parameters ?? []).map(({ name, in: place, schema, description = '' }) =>
    fieldLine(document, name, { ...schema, description }, place),
  );
  if (parameters.length > 0) parts.push(parameters.join('\n'));
  const sent = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  if (sent) parts.push(`Body:\n\n${fieldLines(document, sent)}`);
  if (operation.security.length > 0) parts.push(fenced('sh', callTexts(addressed, baseUrl).curl));
  parts.push(
    Object.entries(operation.responses)
      .map(([status, given]) => answerLine(document, status, given))
      .join('\n'),
  );
  const [shape] = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema?.contentSchema ?? schema));
  if (shape?.$ref) parts.push(`Answer:\n\n${fieldLines(document, shape)}`);
  return parts.join('\n\n');
}

function answerLine(document: OpenApiDocument, status: string, given: OpenApiResponse): string {
  const { description = '', content = {} } = resolveAnswer(document, given);
  const kinds = Object.keys(content['application/problem+json']?.examples ?? {}) as (keyof typeof PROBLEMS)[];
  const text = kinds.length > 0 ? kinds.map((kind) => `\`${kind}\` (${PROBLEMS[kind].title})`).join(', ') : description;
  return `- ${status}: ${text}`;
}

function fieldLines(document: OpenApiDocument, schema: Schema, indent = ''): string {
  const { properties = {}, required = [] } = resolveSchema(document, schema);
  const lines = Object.entries(properties).flatMap(([name, field]) => {
    const line = indent + fieldLine(document, name, field, required.includes(name) ? 'required' : '');
    const inner = objectWithin(document, field);
    return inner ? [line, fieldLines(document, inner, `${indent}  `)] : [line];
  });
  return lines.join('\n');
}

function fieldLine(document: OpenApiDocument, name: string, field: Schema, note: string): string {
  const { enum: choices, description = '' } = resolveSchema(document, field);
  const kind = choices?.map((choice) => JSON.stringify(choice)).join(' or ') ?? typeName(document, field);
  const about = [kind, note].filter(Boolean).join(', ');
  return `- \`${name}\` (${about})${description && `: ${description}`}`;
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}
