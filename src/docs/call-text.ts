import { CLIENT_SAMPLES } from './client-samples.ts';
import type { AddressedOperation, Schema } from './openapi-document.ts';

/** The languages of samples, by the value of the choice on the page. */
export const LANGUAGES = { curl: 'curl', ts: 'TypeScript', py: 'Python', cli: 'CLI' } as const;
export type Language = keyof typeof LANGUAGES;

const KEYS: Record<string, string> = {
  apiKey: 'KEY',
  hostToken: 'HOST_TOKEN',
  registrationToken: 'REGISTRATION_TOKEN',
  operatorToken: 'ADMIN_TOKEN',
  consoleSession: 'ADMIN_TOKEN',
  metricsToken: 'METRICS_TOKEN',
};

interface Call {
  readonly id: string;
  readonly method: string;
  /** With variables such as `$ID`. */
  readonly url: string;
  /** The name of the variable with the key; null for a call without a key. */
  readonly key: string | null;
  readonly contentType: string | null;
  /** The body; undefined without a body, or if it is a file. */
  readonly json: unknown;
  readonly answers: 'json' | 'events' | 'other';
}

/** Returns samples of a call. Calls of the client API use the client package and its command line. */
export function callTexts(addressed: AddressedOperation, baseUrl: string): Record<Language, string> {
  const call = callOf(addressed, baseUrl);
  const sample = CLIENT_SAMPLES[call.id];
  return {
    curl: curl(call),
    ts: call.key === 'KEY' ? (sample?.sdk.replace('BODY', () => literal(call.json)) ?? named(call)) : fetched(call),
    py: python(call),
    cli: sample?.cli ?? curl(call),
  };
}

function callOf({ method, path, operation }: AddressedOperation, baseUrl: string): Call {
  const [contentType = null, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const [scheme] = Object.keys(operation.security[0] ?? {});
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = query
    .map(({ name, schema }) => `${name}=${exampleValue(schema) ?? `$${name.toUpperCase()}`}`)
    .join('&');
  const types = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    status.startsWith('2') ? Object.keys(content) : [],
  );
  return {
    id: operation.operationId,
    method,
    url: baseUrl + path.replace(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`) + (search && `?${search}`),
    key: scheme === undefined ? null : (KEYS[scheme] ?? null),
    contentType,
    json: Object.values(media?.examples ?? {})[0]?.value,
    answers: types.includes('application/json') ? 'json' : types.includes('text/event-stream') ? 'events' : 'other',
  };
}

/** Returns an example of a parameter, if its schema has one. */
function exampleValue({ enum: choices, type, minimum }: Schema): unknown {
  return choices?.[0] ?? (type === 'integer' ? (minimum ?? 1) : undefined);
}

function curl({ method, url, key, contentType, json, answers }: Call): string {
  const parts = [`curl${answers === 'events' ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} "${url}"`];
  if (key !== null) parts.push(`-H "Authorization: Bearer $${key}"`);
  if (contentType !== null) parts.push(`-H "Content-Type: ${contentType}"`);
  if (json !== undefined) parts.push(`-d '${JSON.stringify(json, null, 2).replaceAll("'", "'\\''")}'`);
  else if (contentType !== null) parts.push('--data-binary @file');
  return parts.join(' \\\n  ');
}

/** Formats a call of the client package by the operation's name. */
function named({ id, url, json, contentType }: Call): string {
  const [path = '', search = ''] = url.split('?');
  const params = [...path.matchAll(/\$([A-Z_]+)/g)].map(([, name = '']) => camelCase(name));
  const query = Object.fromEntries(new URLSearchParams(search));
  const input: string[] = [];
  if (params.length > 0) input.push(`params: { ${params.join(', ')} }`);
  if (search !== '') input.push(`query: ${literal(query).replace(/\s+/g, ' ')}`);
  if (json !== undefined) input.push(`body: ${literal(json)}`);
  else if (contentType !== null) input.push('body: file');
  return `const answer = await tickreel.call('${id}'${input.length === 0 ? '' : `, { ${input.join(', ')} }`});`;
}

function fetched({ method, url, key, contentType, json, answers }: Call): string {
  const options: string[] = [];
  if (method !== 'GET') options.push(`method: '${method}',`);
  const headers: string[] = [];
  if (key !== null) headers.push(`Authorization: \`Bearer \${${camelCase(key)}}\``);
  if (contentType !== null) headers.push(`'Content-Type': '${contentType}'`);
  if (headers.length > 1) options.push(`headers: {\n${headers.map((line) => `    ${line},\n`).join('')}  },`);
  else if (headers.length === 1) options.push(`headers: { ${headers[0]} },`);
  if (json !== undefined) options.push(`body: JSON.stringify(${literal(json).replaceAll('\n', '\n  ')}),`);
  else if (contentType !== null) options.push('body: file,');
  const address = url.includes('$') ? `\`${withNames(url, '$')}\`` : `'${url}'`;
  const init = options.length === 0 ? '' : `, {\n${options.map((line) => `  ${line}\n`).join('')}}`;
  const then = answers === 'json' ? '\nconst answer = await response.json();' : '';
  return `const response = await fetch(${address}${init});${then}`;
}

function python({ method, url, key, contentType, json, answers }: Call): string {
  const lines = [`${url.includes('$') ? 'f' : ''}"${withNames(url, '')}",`];
  if (method !== 'GET') lines.push(`method="${method}",`);
  const headers: string[] = [];
  if (key !== null) headers.push(`"Authorization": f"Bearer {${key.toLowerCase()}}"`);
  if (contentType !== null) headers.push(`"Content-Type": "${contentType}"`);
  if (headers.length > 0) lines.push(`headers={${headers.join(', ')}},`);
  if (json !== undefined) lines.push(`data=json.dumps(${pythonLiteral(json).replaceAll('\n', '\n    ')}).encode(),`);
  else if (contentType !== null) lines.push('data=file,');
  const reads = {
    json: 'answer = json.load(urllib.request.urlopen(request))',
    events: 'for line in urllib.request.urlopen(request):\n    print(line.decode().strip())',
    other: 'urllib.request.urlopen(request)',
  };
  return `request = urllib.request.Request(\n${lines.map((line) => `    ${line}\n`).join('')})\n${reads[answers]}`;
}

/** Replaces `$JOB_ID` by the variable of a program: `${jobId}`, or `{job_id}` in Python. */
function withNames(url: string, mark: '$' | ''): string {
  return url.replace(/\$([A-Z_]+)/g, (_, name: string) => `${mark}{${mark ? camelCase(name) : name.toLowerCase()}}`);
}

/** Formats JSON as an object literal, with names without quotes. */
function literal(json: unknown): string {
  return JSON.stringify(json, null, 2).replace(/^(\s*)"(\w+)":/gm, '$1$2:');
}

function pythonLiteral(json: unknown): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
  return JSON.stringify(json, null, 4).replace(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (word) => words[word] ?? word,
  );
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
