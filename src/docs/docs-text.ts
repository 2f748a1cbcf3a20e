import { PROBLEMS } from '#protocol/problem.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { perService } from '#service/per-service.ts';
import { callTexts, LANGUAGES, type Language } from './call-text.ts';
import { guideSections } from './guide.ts';
import { markdownOf } from './markdown.ts';
import {
  type AddressedOperation,
  CLIENT_TAGS,
  OPENAPI,
  operationsOf,
  resolveAnswer,
  resolveSchema,
  type Schema,
} from './openapi-document.ts';
import { quickstartTexts } from './quickstart.ts';
import { objectWithin, typeName } from './schema-table.ts';

export const docsText = operation({
  route: PUBLIC_ROUTES.docsText,
  scope: 'public',
  handler: (service) => sendText(textOf(service), 'text/markdown'),
});

export const words = (): OperationWords => ({
  tag: 'Reference',
  summary: 'Read the reference as Markdown',
  description: 'What clients need, as one text for terminals, editors and language models.',
  answers: { 200: { description: 'The text.', content: { types: ['text/markdown'] } } },
});

const textOf = perService(({ settings: { baseUrl, clipTtl } }) => drawText(baseUrl, clipTtl));

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

function drawText(baseUrl: string, clipTtl: number): string {
  const quick = quickstartTexts(baseUrl);
  const guide = guideSections(baseUrl, clipTtl).map(({ id, title, body }) => {
    const codes = id === 'quickstart' ? Object.entries(quick) : [];
    const samples = codes.map(
      ([name, code]) => `${LANGUAGES[name as Language]}:\n\n${fenced(FENCES[name as Language], code)}`,
    );
    return [`## ${title}`, id === 'quickstart' ? withoutSamples(markdownOf(body)) : markdownOf(body), ...samples].join(
      '\n\n',
    );
  });
  const tags = CLIENT_TAGS.map((tag) =>
    [`## ${tag}`, ...operationsOf(tag).map((addressed) => operationText(addressed, baseUrl))].join('\n\n'),
  );
  return `# Tickreel\n\n${OPENAPI.info.description}\n\nThe service is at ${baseUrl}. The whole document: ${baseUrl}${href(PUBLIC_ROUTES.openApi)}\n\n${[...guide, ...tags].join('\n\n')}\n`;
}

/** Cuts the samples off: the page has them in boxes, here they follow in fences. */
function withoutSamples(text: string): string {
  return text.slice(0, text.indexOf('\n\ncurl:'));
}

function operationText(addressed: AddressedOperation, baseUrl: string): string {
  const { method, path, operation } = addressed;
  const parts = [`### ${operation.summary}`, `\`${method} ${path}\``, operation.description];
  const parameters = (operation.parameters ?? []).map(({ name, in: place, schema, description = '' }) =>
    fieldLine(name, { ...schema, description }, place),
  );
  if (parameters.length > 0) parts.push(parameters.join('\n'));
  const sent = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  if (sent) parts.push(`Body:\n\n${fieldLines(sent)}`);
  if (operation.security.length > 0) parts.push(fenced('sh', callTexts(addressed, baseUrl).curl));
  parts.push(
    Object.entries(operation.responses)
      .map(([status, given]) => answerLine(status, given))
      .join('\n'),
  );
  const [shape] = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.values(content).map(({ schema }) => schema?.contentSchema ?? schema));
  if (shape?.$ref) parts.push(`Answer:\n\n${fieldLines(shape)}`);
  return parts.join('\n\n');
}

function answerLine(status: string, given: Parameters<typeof resolveAnswer>[0]): string {
  const { description = '', content = {} } = resolveAnswer(given);
  const kinds = Object.keys(content['application/problem+json']?.examples ?? {}) as (keyof typeof PROBLEMS)[];
  const text = kinds.length > 0 ? kinds.map((kind) => `\`${kind}\` (${PROBLEMS[kind].title})`).join(', ') : description;
  return `- ${status}: ${text}`;
}

function fieldLines(schema: Schema, indent = ''): string {
  const { properties = {}, required = [] } = resolveSchema(schema);
  const lines = Object.entries(properties).flatMap(([name, field]) => {
    const line = indent + fieldLine(name, field, required.includes(name) ? 'required' : '');
    const inner = objectWithin(field);
    return inner ? [line, fieldLines(inner, `${indent}  `)] : [line];
  });
  return lines.join('\n');
}

function fieldLine(name: string, field: Schema, note: string): string {
  const { enum: choices, description = '' } = resolveSchema(field);
  const kind = choices?.map((choice) => JSON.stringify(choice)).join(' or ') ?? typeName(field);
  const about = [kind, note].filter(Boolean).join(', ');
  return `- \`${name}\` (${about})${description && `: ${description}`}`;
}

function fenced(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}
