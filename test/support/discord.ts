import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOn } from '#stack/listen.ts';
import type { DiscordRequest, PostedFile, ShownMessage } from './discord-channel.ts';

interface Webhook {
  readonly token: string;
  readonly requests: DiscordRequest[];
  readonly messages: Map<string, ShownMessage>;
  answers: string[];
}
interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const MIB = 1024 * 1024;
const TOO_LARGE = { status: 413, body: { message: 'Request entity too large', code: 40005 } };
const LENGTHS: Readonly<Record<string, number>> = { title: 256, description: 4096 };
const FIELD_LENGTHS: Readonly<Record<string, number>> = { name: 256, value: 1024 };

/**
 * A stand-in for Discord's endpoints "Execute Webhook", "Edit" and "Delete Webhook Message", written from
 * discord/discord-api-docs c98d64bc: developers/resources/webhook.mdx (query, fields),
 * developers/resources/message.mdx (limits of embeds, 25 MiB in a request), developers/reference.mdx (versions, form
 * errors, user agent, multipart bodies, 10 MiB in a file),
 * developers/topics/rate-limits.mdx (429) and developers/topics/opcodes-and-status-codes.mdx (codes).
 *
 * Beside it, for tests: `POST /stand-in` makes a webhook and returns its address; `POST /stand-in/<id>?answers=429:1.5,
 * 502` scripts its next answers (a status, `429:` with seconds, `reset`); `DELETE /stand-in/<id>` deletes it;
 * `GET /stand-in/<id>` returns all requests, `GET /stand-in/<id>?shown=1` the messages in its channel.
 */
export async function startDiscord(wantedPort = 0) {
  const webhooks = new Map<string, Webhook>();
  let created = 0;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://discord');
    const [, first, id = ''] = pathname.split('/');
    if (first === 'stand-in') return control(request.method, id, searchParams, response);
    const called = /^\/api(?:\/v(\d+))?\/webhooks\/(\d+)\/([^/]+)(?:\/messages\/(\d+))?$/.exec(pathname);
    const webhook = webhooks.get(called?.[2] ?? '');
    const bytes = await readAll(request);
    const { message, files } = await readMessage(request.headers['content-type'] ?? '', bytes);
    const scripted = webhook?.answers.shift();
    const note = (status: number | null) =>
      webhook?.requests.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        status,
        message,
        files,
      });
    if (scripted === 'reset') {
      note(null);
      request.socket.resetAndDestroy();
      return;
    }
    const sent = { bytes: bytes.length, message, files };
    const answer = scripted ? scriptedAnswer(scripted) : answerTo(request, called, webhook, searchParams, sent);
    note(answer.status);
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  });

  function control(method: string | undefined, id: string, query: URLSearchParams, response: ServerResponse): void {
    const webhook = webhooks.get(id);
    if (method === 'POST' && id === '') {
      const made = String(223704706495545344n + BigInt(created++));
      const token = `${made}-Token_of`.padEnd(68, 'x');
      webhooks.set(made, { token, requests: [], messages: new Map(), answers: [] });
      response.end(JSON.stringify({ id: made, token, url: `http://127.0.0.1:${port}/api/webhooks/${made}/${token}` }));
    } else if (method === 'POST' && webhook) {
      webhook.answers = (query.get('answers') ?? '').split(',').filter(Boolean);
      response.end();
    } else if (method === 'DELETE') {
      response.end(String(webhooks.delete(id)));
    } else {
      const shown = query.has('shown') ? [...(webhook?.messages.values() ?? [])] : webhook?.requests;
      response.end(JSON.stringify(shown ?? []));
    }
  }

  const port = await listenOn(server, wantedPort);
  return {
    origin: `http://127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** As the documents show it for a limit of a user. */
function rateLimited(seconds: number): Answer {
  const headers = {
    'Retry-After': String(Math.ceil(seconds)),
    'X-RateLimit-Limit': '5',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset-After': String(seconds),
    'X-RateLimit-Bucket': 'abcd1234',
    'X-RateLimit-Scope': 'user',
  };
  const body = { message: 'You are being rate limited.', retry_after: seconds, global: false };
  return { status: 429, headers, body };
}

function scriptedAnswer(text: string): Answer {
  const [status, seconds] = text.split(':');
  if (status === '429') return rateLimited(Number(seconds));
  if (status === '413') return TOO_LARGE;
  if (status === '302') return { status: 302, headers: { Location: '/stand-in/elsewhere' } };
  return { status: Number(status), body: { message: `${status}: scripted`, code: 0 } };
}

interface Sent {
  readonly bytes: number;
  // biome-ignore lint/suspicious/noExplicitAny: it is checked here.
  readonly message: any;
  readonly files: readonly PostedFile[];
}

function answerTo(
  { method, headers }: IncomingMessage,
  called: RegExpExecArray | null,
  webhook: Webhook | undefined,
  query: URLSearchParams,
  sent: Sent,
): Answer {
  // Cloudflare answers in Discord's place.
  if (!/^DiscordBot \(https?:\/\/[^ ,]+, [\w.]+\)/.test(headers['user-agent'] ?? ''))
    return { status: 403, body: null };
  if (!called) return { status: 404, body: { message: '404: Not Found', code: 0 } };
  const [allowed, messageId] = [called[4] ? /^(PATCH|DELETE)$/ : /^POST$/, called[4] ?? ''];
  if (!allowed.test(method ?? '')) return { status: 405, body: { message: '405: Method Not Allowed', code: 0 } };
  if (Number(called[1] ?? 6) < 6) return { status: 400, body: { message: 'Invalid API version', code: 50041 } };
  if (!webhook) return { status: 404, body: { message: 'Unknown Webhook', code: 10015 } };
  if (called[3] !== webhook.token) return { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } };
  const shown = webhook.messages.get(messageId);
  if (messageId && (!shown || shown.thread !== query.get('thread_id'))) {
    return { status: 404, body: { message: 'Unknown Message', code: 10008 } };
  }
  if (method === 'DELETE') {
    webhook.messages.delete(messageId);
    return { status: 204 };
  }
  if (sent.bytes > 25 * MIB || sent.files.some(({ bytes }) => bytes > 10 * MIB)) return TOO_LARGE;
  const errors = faultsOf(sent);
  if (Object.keys(errors).length > 0) {
    return { status: 400, body: { message: 'Invalid Form Body', code: 50035, errors } };
  }
  if (!sent.message.content && !sent.message.embeds?.length && sent.files.length === 0) {
    return { status: 400, body: { message: 'Cannot send an empty message', code: 50006 } };
  }
  if (shown) {
    const { content = shown.content, embeds = shown.embeds, attachments } = sent.message;
    // Since version 10 an edit names every file that stays; all others are taken away.
    const files = attachments ? shown.files.slice(0, attachments.length) : shown.files;
    webhook.messages.set(messageId, { ...shown, content, embeds, files });
    return { status: 200, body: { id: messageId, webhook_id: called[2], type: 0, content, embeds } };
  }
  const id = String(1223704706495545344n + BigInt(webhook.requests.length));
  const { content = '', embeds = [] } = sent.message;
  webhook.messages.set(id, { id, content, embeds, files: sent.files, thread: query.get('thread_id') });
  if (!/^(true|True|1)$/.test(query.get('wait') ?? '')) return { status: 204 };
  return { status: 200, body: { id, webhook_id: called[2], type: 0, ...sent.message } };
}

/** Returns the faults of a form by their place, as "Error Messages" of reference.mdx shows them. */
function faultsOf({ message, files }: Sent): Record<string, unknown> {
  const faults: Record<string, unknown> = {};
  const fault = (place: string, code: string, text: string) => {
    faults[place] = { _errors: [{ code, message: text }] };
  };
  const tooLong = (place: string, most: number) =>
    fault(place, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`);
  if (message === null || typeof message !== 'object') {
    fault('_', 'BASE_TYPE_REQUIRED', 'a message is required');
    return faults;
  }
  const { content = '', embeds = [], attachments = [], allowed_mentions: mentions = {} } = message;
  if ([...content].length > 2000) tooLong('content', 2000);
  if (embeds.length > 10) tooLong('embeds', 10);
  if (mentions.parse?.length && (mentions.users || mentions.roles)) {
    fault('allowed_mentions', 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', 'parse and users are mutually exclusive');
  }
  let sum = 0;
  const measure = (place: string, part: Record<string, string>, most: Readonly<Record<string, number>>) => {
    for (const [name, limit] of Object.entries(most)) {
      const { length } = [...(part[name] ?? '').trim()];
      if (length > limit) tooLong(`${place}.${name}`, limit);
      sum += length;
    }
  };
  embeds.forEach((embed: Sent['message'], i: number) => {
    const { url, thumbnail, image, fields = [] } = embed;
    measure(`embeds.${i}`, embed, LENGTHS);
    if (fields.length > 25) tooLong(`embeds.${i}.fields`, 25);
    fields.forEach((field: Record<string, string>, j: number) => {
      const place = `embeds.${i}.fields.${j}`;
      measure(place, field, FIELD_LENGTHS);
      for (const name of ['name', 'value'] as const) {
        if (!field[name]?.trim()) fault(`${place}.${name}`, 'BASE_TYPE_REQUIRED', 'This field is required');
      }
    });
    for (const address of [url, thumbnail?.url, image?.url]) {
      if (address && !/^(https?|attachment):\/\/[^ ]+$/.test(address)) {
        fault(`embeds.${i}`, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
      }
    }
  });
  if (sum > 6000) fault('embeds', 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
  const fields = files.map(({ field }) => field);
  if (files.length > 10 || new Set(fields).size < fields.length || fields.some((one) => !/^files\[\d+\]$/.test(one))) {
    fault('files', 'BASE_TYPE_BAD_NAME', 'files need names of their own');
  }
  for (const { id } of attachments) {
    if (!fields.includes(`files[${id}]`)) fault('attachments', 'ATTACHMENT_NOT_FOUND', 'Unknown attachment');
  }
  return faults;
}

/** Reads a message as JSON, or with files as `multipart/form-data`. */
async function readMessage(type: string, bytes: Buffer<ArrayBuffer>): Promise<Pick<Sent, 'message' | 'files'>> {
  try {
    if (/^application\/json\b/.test(type)) return { message: JSON.parse(bytes.toString()), files: [] };
    if (!/^multipart\/form-data\b/.test(type)) return { message: null, files: [] };
    const form = await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
    const files: PostedFile[] = [];
    for (const [field, value] of form) {
      if (typeof value === 'string') continue;
      const content = Buffer.from(await value.arrayBuffer());
      const sha256 = createHash('sha256').update(content).digest('hex');
      files.push({ field, name: value.name, type: value.type, bytes: content.length, sha256 });
    }
    return { message: JSON.parse(String(form.get('payload_json'))), files };
  } catch {
    return { message: null, files: [] };
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
