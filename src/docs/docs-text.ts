import { PROBLEMS } from '#protocol/problem.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
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

/** `GET /docs.md`: the reference for clients, as Markdown. */
export function createDocsText(baseUrl: string, clipTtl: number): () => Response {
  let text: string | null = null;
  return () => {
    text ??= docsText(baseUrl, clipTtl);
    return answer(text, 'text/markdown');
  };
}

/** `GET /llms.txt` (llmstxt.org). */
export function createLlmsText(baseUrl: string): () => Response {
  return () => answer(llmsText(baseUrl), 'text/plain');
}

function answer(text: string, type: string): Response {
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

function docsText(baseUrl: string, clipTtl: number): string {
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

function llmsText(baseUrl: string): string {
  const link = (name: string, line: Parameters<typeof href>[0], says: string) =>
    `- [${name}](${baseUrl}${href(line as 'GET /docs')}): ${says}`;
  const operations = CLIENT_TAGS.flatMap(operationsOf).map(
    ({ method, path, operation }) =>
      `- [${operation.summary}](${baseUrl}${href(PUBLIC_ROUTES.docs)}#${operation.operationId}): \`${method} ${path}\``,
  );
  return `# Tickreel

> Renders moments of recorded Counter-Strike 2 matches into clips: post the address of a demo with the moments that you want, get one MP4, one thumbnail and a page to share.

Every call below \`/api\` carries \`Authorization: Bearer <key>\`. A submit answers at once; the clip comes later. Give each submit an \`idempotency_key\`, so that it can be repeated without harm.

## Docs

${link('Reference as Markdown', PUBLIC_ROUTES.docsText, 'quickstart, guide and every operation in one text; read this first')}
${link('OpenAPI', PUBLIC_ROUTES.openApi, 'the API as OpenAPI 3.1')}
${link('Reference', PUBLIC_ROUTES.docs, 'the same as a page, with samples in curl, TypeScript, Python and for the command line')}
${link('Kinds of problem', PUBLIC_ROUTES.problemDocs, 'what each error means')}
${link('What changed', PUBLIC_ROUTES.changesDocs, 'changes of the API')}

## Operations

${operations.join('\n')}

## Optional

${link('For render hosts', PUBLIC_ROUTES.gatewayDocs, 'what machines that render say to the service')}
${link('For operators', PUBLIC_ROUTES.operatorDocs, 'accounts, keys and render hosts')}
`;
}
