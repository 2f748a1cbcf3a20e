import { Html, html } from '../pages/html.ts';
import type { AddressedOperation, MediaType } from './openapi-document.ts';

/** A box of code under a heading. */
export function codeBox(title: string, code: Html): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

/** A value as JSON, its names and values told apart by colour. */
export function jsonCode(value: unknown): Html {
  return coloured(JSON.stringify(value, null, 2), JSON_TOKENS);
}

/** A shell command, the JSON within it coloured too. */
export function shellCode(command: string): Html {
  return coloured(command, JSON_TOKENS);
}

/** A text in quotes, the colon that makes it a name, a constant, a number. */
const JSON_TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)\b/g;
const TYPESCRIPT_TOKENS = /("[^"]*"|'[^'\n]*'|`[^`]*`)(\s*:)?|\b(true|false|null)\b|(?<![\w.-])(-?\d+(?:\.\d+)?)\b/g;

function coloured(text: string, tokens: RegExp): Html {
  let at = 0;
  let out = '';
  for (const match of text.matchAll(tokens)) {
    const [token, quoted, colon] = match;
    const kind = quoted === undefined ? 'n' : colon === undefined ? 's' : 'k';
    out += html`${text.slice(at, match.index)}<i class="${kind}">${quoted ?? token}</i>${colon ?? null}`.text;
    at = match.index + token.length;
  }
  return new Html(out + html`${text.slice(at)}`.text);
}

const KEYS: Record<string, string> = {
  apiKey: 'KEY',
  hostToken: 'HOST_TOKEN',
  registrationToken: 'REGISTRATION_TOKEN',
  operatorToken: 'ADMIN_TOKEN',
  metricsToken: 'METRICS_TOKEN',
};

interface Call {
  readonly method: string;
  readonly url: string;
  /** Name of the variable that holds the key; null without one. */
  readonly key: string | null;
  readonly contentType: string | null;
  /** The JSON to send; null for none, or for a file. */
  readonly json: string | null;
  /** Whether JSON comes back. */
  readonly answersJson: boolean;
}

/** How to make the call: with curl, and in TypeScript. The reader chooses on the page which of the two is shown. */
export function callSamples(addressed: AddressedOperation, baseUrl: string): Html {
  const call = callOf(addressed, baseUrl);
  return html`<div class="curl">${codeBox('curl', shellCode(curl(call)))}</div><div class="ts">${codeBox(
    'TypeScript',
    coloured(typeScript(call), TYPESCRIPT_TOKENS),
  )}</div>`;
}

function callOf({ method, path, operation }: AddressedOperation, baseUrl: string): Call {
  const [contentType = null, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const [scheme] = Object.keys(operation.security[0] ?? {});
  const example = media && firstExample(media);
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = query.map(({ name, schema }) => `${name}=${schema.enum?.[0] ?? `{${name}}`}`).join('&');
  return {
    method,
    url: baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`) + (search && `?${search}`),
    key: scheme === undefined ? null : (KEYS[scheme] ?? null),
    contentType,
    json: example === undefined ? null : JSON.stringify(example, null, 2),
    answersJson: Object.entries(operation.responses).some(
      ([status, { content = {} }]) => status.startsWith('2') && 'application/json' in content,
    ),
  };
}

/** The value of a media type's first example. */
function firstExample(media: MediaType): unknown {
  return Object.values(media.examples ?? {})[0]?.value;
}

function curl({ method, url, key, contentType, json }: Call): string {
  const parts = [method === 'GET' ? `curl "${url}"` : `curl -X ${method} "${url}"`];
  if (key !== null) parts.push(`-H "Authorization: Bearer $${key}"`);
  if (contentType !== null) parts.push(`-H "Content-Type: ${contentType}"`);
  if (json !== null) parts.push(`-d '${json.replaceAll("'", "'\\''")}'`);
  else if (contentType !== null) parts.push('--data-binary @file');
  return parts.join(' \\\n  ');
}

function typeScript({ method, url, key, contentType, json, answersJson }: Call): string {
  const address = url.includes('$')
    ? `\`${url.replace(/\$([A-Z]+)/g, (_, name) => `\${${name.toLowerCase()}}`)}\``
    : `'${url}'`;
  const options: string[] = [];
  if (method !== 'GET') options.push(`method: '${method}',`);
  const headers: string[] = [];
  if (key !== null) headers.push(`Authorization: \`Bearer \${${camelCase(key)}}\``);
  if (contentType !== null) headers.push(`'Content-Type': '${contentType}'`);
  if (headers.length > 1) options.push(`headers: {\n${headers.map((line) => `    ${line},\n`).join('')}  },`);
  else if (headers.length === 1) options.push(`headers: { ${headers[0]} },`);
  if (json !== null) options.push(`body: JSON.stringify(${asSource(json).replaceAll('\n', '\n  ')}),`);
  else if (contentType !== null) options.push('body: file,');
  const then = answersJson ? '\nconst answer = await response.json();' : '';
  const init = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line}\n`).join('')}}`;
  return `const response = await fetch(${address}${init});${then}`;
}

/** JSON as an object literal: names without quotes. */
function asSource(json: string): string {
  return json.replace(/^(\s*)"(\w+)":/gm, '$1$2:');
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
