import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTickreel } from '#client/index.ts';
import { createRouter } from '#http/router.ts';
import { TransientError } from '#http/transient-error.ts';
import { FOUND_DEMO } from '#protocol/examples.ts';
import { type Grant, PART_BYTES, type UploadedPart } from '#protocol/gateway.ts';
import { PROJECT_ROOT } from '#stack/project-root.ts';
import { type Stack, startStack } from '#stack/stack.ts';
import { createApi } from '../../conformance/support/api.ts';
import { conversationsIn, createTranscript, withConversations } from '../../gateway/conversation.ts';
import { PICTURES } from '../../support/pictures.ts';
import { standInJpeg, standInMp4 } from '../../support/stand-ins.ts';

/** Repeats the conversations of docs/gateway.md with the service and compares them. `UPDATE_DOCS=1` writes them. */
const DOCUMENT = join(PROJECT_ROOT, 'docs/gateway.md');
const SLOTS = 2;
const POLL_ID = '0d6f2a54-9b1e-4c7a-8f53-2e7d1c94b6a0';
const ORDER = {
  ...{ demo_url: 'https://demos.example.com/match-1842.dem.gz', steam64_id: '76561198000000001', round: 7 },
  ...{ fps: 60, hud_killfeed: true },
};
const CAPABILITIES = {
  ...{ renderer: 'radar', max_resolution: 1440, max_fps: 120, game_build: null, agent_version: '1.0.0' },
};
const VIDEO = standInMp4(PART_BYTES + 1_048_576);
const THUMBNAIL = standInJpeg(184_320);
const DEMO = Buffer.alloc(1000, 'demo');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let dataDir: string;
let stack: Stack;
const transcript = createTranscript();
const had = new Map<string, string>();
/** Without this, the fence in the document would be the time when it was written. */
const SMALL_FENCES = { FENCE_FLOOR: '0' };
/** The end of each conversation. */
const STATUSES: Record<string, number> = {
  ...{ none: 204, grant: 200, slots: 429, confirm: 204, heartbeat: 204, 'lease-lost': 409 },
  ...{ asset: 200, 'no-asset': 404, upload: 200, 'small-file': 201, 'part-again': 200, 'wrong-checksum': 409 },
  ...{ 'unknown-upload': 409, complete: 204, 'complete-again': 204, invalid: 400, fail: 204, release: 204 },
  ...{ demo: 206, inspect: 200, inspected: 204, drain: 204, unauthorized: 401, unavailable: 503 },
  ...{ register: 201, outdated: 400, paused: 204, called: 202 },
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tickreel-document-'));
  const variables = {
    ...{
      ENVIRONMENT: 'production',
      BASE_URL: 'https://tickreel.example.com',
      ACCEPTED_DEMO_DOMAINS: 'demos.example.com',
    },
    LOG_LEVEL: 'error',
    HOST_SLOTS: String(SLOTS),
    ...SMALL_FENCES,
    MIN_AGENT_VERSION: CAPABILITIES.agent_version,
  };
  stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent', variables });
});

afterAll(async () => {
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Sends a request of the operator. */
async function operate(method: string, path: string, body: object): Promise<Record<string, string>> {
  const headers = {
    Authorization: `Bearer ${stack.credentials.admin_token}`,
    'Content-Type': 'application/json',
  };
  const response = await fetch(stack.baseUrl + path, { method, headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
  return (await response.json()) as Record<string, string>;
}

interface Asked {
  readonly body?: object | Uint8Array<ArrayBuffer>;
  readonly id?: string | undefined;
  readonly token?: string;
  readonly range?: string | undefined;
}

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
  /** Formats a request and its answer for the document. */
  readonly lines: readonly [string, string];
}

async function ask(method: string, path: string, { body, id, token, range }: Asked = {}): Promise<Answer> {
  const headers = new Headers({ Authorization: `Bearer ${token ?? stack.credentials.host_token}` });
  const isBytes = body instanceof Uint8Array;
  if (body !== undefined && !isBytes) headers.set('Content-Type', 'application/json');
  if (id !== undefined) headers.set('X-Request-Id', id);
  if (range !== undefined) headers.set('Range', range);
  const sent = body === undefined ? null : isBytes ? body : JSON.stringify(body);
  const shown = new Headers(headers);
  shown.set('Authorization', `Bearer ${token ?? stack.credentials.host_token}`);
  const request = transcript.request({ method, path: `/gateway/v1${path}`, headers: shown, body: sent });
  const response = await fetch(`${stack.baseUrl}/gateway/v1${path}`, { method, headers, body: sent });
  const bytes = await response.bytes();
  const isText = /json/.test(response.headers.get('Content-Type') ?? '');
  const text = isText ? new TextDecoder().decode(bytes) : bytes;
  const { status } = response;
  const answer = transcript.answer(status, response.headers, text);
  return { status, json: typeof text === 'string' ? JSON.parse(text) : {}, lines: [request, answer] };
}

const formatExchange = (...answers: readonly Answer[]): string =>
  answers.map(({ lines: [request, answer] }) => `${request}\n\n→ ${answer}`).join('\n\n');

const submit = (more: object = {}) =>
  createApi(stack.baseUrl, stack.credentials.metered_key).submit({ ...ORDER, ...more });

const claim = (wait_s = 30, token?: string, capabilities: object = CAPABILITIES) =>
  ask('POST', '/claim', { body: { capabilities, wait_s, poll_id: POLL_ID }, ...(token ? { token } : {}) });

/** Sends a request that the document does not show. */
const unseen = (path: string, body: object) =>
  createApi(stack.baseUrl, stack.credentials.host_token).post(`/gateway/v1${path}`, body);

/** Waits for a slot, which is free a moment after the release of its job. */
const untilSlot = () =>
  expect.poll(async () => (await unseen('/claim', { capabilities: CAPABILITIES, wait_s: 0 })).status).toBe(204);

/** Creates a job under a confirmed lease, with its conversation. */
async function begin(more: object = {}, skills: readonly string[] = []) {
  await submit(more);
  const claimed = await claim(30, undefined, skills.length > 0 ? { ...CAPABILITIES, skills } : CAPABILITIES);
  const grant = claimed.json as unknown as Grant;
  const { fence } = grant.lease;
  await unseen(`/jobs/${grant.job_id}/heartbeat`, { fence, phase: 'prefetch', progress: 0 });
  const say = (path: string, body: object) =>
    ask('POST', `/jobs/${grant.job_id}/${path}`, { body: { fence, ...body }, id: grant.request_id });
  const put = (query: Record<string, string | number>, part: Uint8Array<ArrayBuffer>) => {
    const params = Object.entries({ fence, ...query }).map(([name, value]) => [name, String(value)]);
    const path = `/jobs/${grant.job_id}/uploads/part?${new URLSearchParams(params)}`;
    return ask('PUT', path, { body: part, id: grant.request_id });
  };
  const get = (path: string, range?: string) =>
    ask('GET', `/jobs/${grant.job_id}/${path}`, { id: grant.request_id, range });
  return { claimed, grant, fence, say, put, get };
}

/** Registers a host, refuses its old version, and pauses it. */
async function haveFleet(): Promise<void> {
  const { token: registration } = await operate('POST', '/admin/host-registrations', { name: 'the fleet', uses: 1 });
  const registered = await ask('POST', '/register', { body: { name: 'gpu-17' }, token: registration ?? '' });
  had.set('register', formatExchange(registered));
  const token = String(registered.json.token);
  had.set('outdated', formatExchange(await claim(0, token, { ...CAPABILITIES, agent_version: '0.9.0' })));
  await operate('PATCH', `/admin/hosts/${registered.json.host_id}`, { hold: 'paused' });
  had.set('paused', formatExchange(await claim(0, token)));
}

/** On loopback, which a deployment never calls. */
async function haveCall(like: Grant): Promise<void> {
  await stack.stop();
  stack = await startStack({ port: 0, dataDir, hosts: 0, timeScale: 1, logLevel: 'silent', variables: SMALL_FENCES });
  const called = Promise.withResolvers<string>();
  const server = createServer(async (request, response) => {
    const grant = JSON.parse(Buffer.concat(await request.toArray()).toString());
    expect(Object.keys(grant)).toEqual(Object.keys(like));
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    // Changes with the time.
    headers.set('webhook-timestamp', '1795000000');
    headers.set('webhook-signature', 'v1,...');
    const { method = '', url: path = '' } = request;
    const text = transcript.request({ method, path, headers, body: '(a grant, as a claim is answered with)' });
    response.writeHead(202).end();
    called.resolve(`${text}\n\n→ 202`);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { agent_version: _, ...capabilities } = CAPABILITIES;
  const push = { url: `http://127.0.0.1:${port}/grants`, slots: 1, capabilities };
  await operate('POST', '/admin/hosts', { name: 'gpu 1', push });
  await submit();
  had.set('called', await called.promise);
}

async function have(): Promise<Grant> {
  had.set('none', formatExchange(await claim(0)));
  const { claimed, grant, say, put, get } = await begin();
  had.set('grant', formatExchange(claimed));
  had.set('confirm', formatExchange(await say('heartbeat', { phase: 'prefetch', progress: 0 })));
  had.set('heartbeat', formatExchange(await say('heartbeat', { phase: 'render', progress: 0.62 })));
  had.set('no-asset', formatExchange(await get('assets/watermark?fence=1')));

  const begun = await say('uploads', { file: 'video' });
  const upload_id = String(begun.json.upload_id);
  const pieces = [VIDEO.subarray(0, PART_BYTES), VIDEO.subarray(PART_BYTES)] as const;
  const part = (n: 1 | 2, digest?: string) => {
    const piece = pieces[n - 1] as Uint8Array<ArrayBuffer>;
    return put({ file: 'video', upload_id, part: n, sha256: digest ?? sha256(piece) }, piece);
  };
  const [lostOne, one, wrong, two] = [await part(1), await part(1), await part(2, 'a'.repeat(64)), await part(2)];
  const parts = [one.json, two.json] as unknown as UploadedPart[];
  const ended = await say('uploads/complete', { file: 'video', upload_id, parts });
  had.set('upload', formatExchange(begun, one, two, ended));
  had.set('part-again', formatExchange(lostOne, one));
  had.set('wrong-checksum', formatExchange(wrong));
  had.set('unknown-upload', formatExchange(await say('uploads/complete', { file: 'video', upload_id, parts })));

  const thumbnail = await say('uploads', { file: 'thumbnail', bytes: THUMBNAIL.length });
  had.set('small-file', formatExchange(thumbnail));
  const query = { file: 'thumbnail', upload_id: String(thumbnail.json.upload_id), part: 1, sha256: sha256(THUMBNAIL) };
  const stored = await put(query, THUMBNAIL);
  await say('uploads/complete', { file: 'thumbnail', upload_id: query.upload_id, parts: [stored.json] });
  const completion = {
    title: '3 kills by Ferris on Nuke',
    facts: { kills: 3, players: ['Ferris'], map: 'de_nuke', round: 7 },
    duration_seconds: 14.5,
    video: { bytes: VIDEO.length, sha256: sha256(VIDEO) },
    thumbnail: { bytes: THUMBNAIL.length, sha256: sha256(THUMBNAIL) },
  };
  had.set('invalid', formatExchange(await say('complete', { ...completion, title: '', duration_seconds: -1 })));
  had.set('complete', formatExchange(await say('complete', completion)));
  had.set('complete-again', formatExchange(await say('complete', completion)));

  const lost = await begin();
  had.set('release', formatExchange(await lost.say('release', {})));
  const next = await claim();
  had.set('lease-lost', formatExchange(await lost.say('heartbeat', { phase: 'render', progress: 0.3 })));
  const id = (next.json as unknown as Grant).job_id;
  const failure = { fence: 2, code: 'demo_404', detail: 'GET https://demos.example.com/match-1842.dem.gz: 404' };
  await ask('POST', `/jobs/${id}/heartbeat`, { body: { fence: 2, phase: 'prefetch', progress: 0 } });
  had.set(
    'fail',
    formatExchange(await ask('POST', `/jobs/${id}/fail`, { body: failure, id: String(next.json.request_id) })),
  );

  const asset = await fetch(`${stack.baseUrl}/api/assets?kind=watermark`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stack.credentials.metered_key}`, 'Content-Type': 'image/png' },
    body: PICTURES.png,
  });
  const marked = await begin({ watermark_image_id: ((await asset.json()) as { id: string }).id });
  had.set('asset', formatExchange(await marked.get('assets/watermark?fence=1')));
  const account = createTickreel({ baseUrl: stack.baseUrl, apiKey: stack.credentials.metered_key });
  const file = { name: 'match-1842.dem.zst', sha256: sha256(DEMO), content: new Blob([DEMO]) };
  const uploaded = await begin({ demo_url: (await account.uploads.send(file)).demo_url }, ['uploads']);
  had.set('demo', formatExchange(await uploaded.get('demo?fence=1'), await uploaded.get('demo?fence=1', 'bytes=600-')));
  await uploaded.say('release', {});
  await untilSlot();
  await account.call('inspectDemo', { body: { demo_url: ORDER.demo_url } });
  const looked = await claim(30, undefined, { ...CAPABILITIES, skills: ['inspect'] });
  had.set('inspect', formatExchange(looked));
  const { job_id, request_id } = looked.json as unknown as Grant;
  const read = { fence: 1, demo: FOUND_DEMO };
  had.set('inspected', formatExchange(await ask('POST', `/jobs/${job_id}/inspected`, { body: read, id: request_id })));
  await untilSlot();
  const other = await begin();
  had.set('slots', formatExchange(await claim(0)));
  for (const { say: speak } of [marked, other]) {
    await speak('fail', { code: 'demo_404', detail: 'It is not there.' });
  }

  const held = claim();
  // The end of a claim may overtake the claim, so it is repeated until the claim is answered.
  let answered: Answer | null = null;
  void held.then((answer) => {
    answered = answer;
  });
  let end = await ask('POST', '/claim/end', { body: { poll_id: POLL_ID } });
  while (answered === null) end = await ask('POST', '/claim/end', { body: { poll_id: POLL_ID } });
  had.set('drain', formatExchange(end, await held));
  had.set('unauthorized', formatExchange(await ask('POST', '/claim', { token: 'tr_host_revoked', body: {} })));
  had.set('unavailable', await unavailable());
  return grant;
}

/** Returns the answer of the router when a part of the service fails. */
async function unavailable(): Promise<string> {
  const fail = () => Promise.reject(new TransientError('the storage is busy'));
  const path = `/gateway/v1/jobs/${crypto.randomUUID()}/uploads`;
  const router = createRouter([{ method: 'POST', path: '/gateway/v1/jobs/:id/uploads', answer: fail }], fail, {
    baseUrl: 'https://tickreel.example.com',
    log: () => {},
  });
  const body = JSON.stringify({ fence: 1, file: 'video' });
  const headers = new Headers({ Authorization: 'Bearer tr_host_...', 'Content-Type': 'application/json' });
  const request = transcript.request({ method: 'POST', path, headers, body });
  const url = `http://127.0.0.1${path}`;
  const response = await router(new Request(url, { method: 'POST', body }), { waitUntil: () => {} });
  return `${request}\n\n→ ${transcript.answer(response.status, response.headers, await response.text())}`;
}

describe('docs/gateway.md', () => {
  it('has every conversation as it is had with the service', async () => {
    const grant = await have();
    await haveFleet();
    await haveCall(grant);
    const document = await readFile(DOCUMENT, 'utf8');
    if (process.env.UPDATE_DOCS === '1') await writeFile(DOCUMENT, withConversations(document, had));
    const written = conversationsIn(await readFile(DOCUMENT, 'utf8'));
    expect([...written.keys()].toSorted()).toEqual([...had.keys()].toSorted());
    const statuses = [...had].map(([name, text]) => [name, Number(/→ (\d+)[^→]*$/.exec(text)?.[1])]);
    expect(Object.fromEntries(statuses)).toEqual(STATUSES);
    for (const [name, text] of written) expect(text, name).toBe(had.get(name));
  });
});
