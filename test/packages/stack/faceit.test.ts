import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTickreel, type Tickreel } from '#client/index.ts';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { FACEIT_KEYS, startFaceit } from '../../support/faceit.ts';
import { SHORT_CLIP, writeShortDemo } from '../../support/short-demo.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';

const COUNT = 20;
const PATIENT = { timeout: 120_000 };

let folder: string;
let faceit: Awaited<ReturnType<typeof startFaceit>>;
let stack: TestStack;
let client: Tickreel;
let operator: TickreelOperator;
/** A key of scope `ingest`. */
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tickreel-test-'));
  faceit = await startFaceit(await writeShortDemo(folder));
  stack = await startTestStack({
    hosts: 1,
    variables: {
      FACEIT_API_KEY: FACEIT_KEYS.DATA,
      FACEIT_DOWNLOADS_KEY: FACEIT_KEYS.DOWNLOADS,
      FACEIT_URL: faceit.url,
      LIMIT_INSPECTIONS: '100',
    },
  });
  const { baseUrl, credentials } = stack;
  client = createTickreel({ baseUrl, apiKey: credentials.metered_key });
  operator = createTickreelOperator({ baseUrl, adminToken: credentials.admin_token });
  const params = { id: credentials.account_id };
  const body = { kind: 'metered', scope: 'ingest', ingest_limits: { demos: COUNT + 2 } } as const;
  key = (await operator.call('createKey', { params, body })).key;
});

afterAll(async () => {
  await stack?.remove();
  faceit?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a message as FACEIT does. */
async function tell(message: object, { query = '', headers = { 'X-Api-Key': key } as Record<string, string> } = {}) {
  const response = await fetch(`${stack.baseUrl}/api/ingest/faceit${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
  return { status: response.status, answer: (await response.json()) as { upload_id?: string | null; detail?: string } };
}

async function inspected(demo_url: string) {
  const { id } = await client.call('inspectDemo', { body: { demo_url } });
  const read = () => client.call('getDemo', { params: { id } });
  await expect.poll(async () => (await read()).state, PATIENT).not.toBe('pending');
  return read();
}

const fetched = () => faceit.calls.filter((call) => call.startsWith('GET /storage/'));

it(`takes ${COUNT} links and ${COUNT} messages, each more than once: none is lost, none is fetched twice`, async () => {
  const files = Array.from({ length: 2 * COUNT }, () => faceit.addMatch());
  const [links, messages] = [files.slice(0, COUNT), files.slice(COUNT)];
  const elsewhere = {
    when: { sources: ['faceit' as const], maps: ['de_vertigo'] },
    budget: { demos_a_day: 100, clips_a_day: 50 },
  };
  const rule = await client.call('createRule', { body: { name: 'all', render: { what: 'kills' }, ...elsewhere } });
  const asked = links.flatMap(({ demo_url: [url = ''] }) => [inspected(url), inspected(url)]);
  const told = messages.map(async ({ id, demo_url }) => {
    const [first, again] = await Promise.all([0, 1].map((retry) => tell(faceit.ready(id, demo_url[0], retry))));
    const last = await tell(faceit.ready(id, demo_url[0], 2), { query: `?key=${key}`, headers: {} });
    const ids = [first, again, last].map((one) => one?.answer.upload_id);
    expect([new Set(ids).size, last.status]).toEqual([1, 200]);
    return ids[0];
  });
  const uploadIds = await Promise.all(told);
  faceit.outages.push(503, 429);
  for (const demo of await Promise.all(asked))
    expect(demo).toMatchObject({ state: 'ready', match: { kills: [{}, {}] } });
  const { uploads } = await client.call('listUploads');
  expect(uploads.map(({ id }) => id).sort()).toEqual([...uploadIds].sort());
  const file = { source: 'faceit', state: 'complete', bytes: 0, sha256: null, facts: { match_id: messages[0]?.id } };
  expect(uploads.find(({ name }) => name === messages[0]?.files[0])).toMatchObject(file);
  const read = async () => (await client.call('getRule', { params: { id: rule.id } })).runs ?? [];
  await expect.poll(async () => (await read()).filter(({ state }) => state === 'skipped').length, PATIENT).toBe(COUNT);
  expect(new Set((await read()).map(({ upload_id }) => upload_id))).toEqual(new Set(uploadIds));
  expect(fetched().sort()).toEqual(files.map((match) => `GET /storage/${match.files[0]}`).sort());
});

it('makes the clips of a rule of a message, and ignores other events', async () => {
  const { steam64_id: _, ...options } = SHORT_CLIP;
  const render = { what: 'kills' as const, limit: 1 };
  const rule = await client.call('createRule', { body: { name: 'final', when: { tags: ['final'] }, render, options } });
  const { id, demo_url } = faceit.addMatch();
  const ended = faceit.ready(id, undefined, 0, 'match_status_finished');
  expect(await tell(ended)).toEqual({ status: 200, answer: { upload_id: null } });
  expect((await tell(faceit.ready(id, 'https://example.com/a.dem'))).status).toBe(400);
  expect((await tell(faceit.ready(id, demo_url[0]), { headers: {} })).status).toBe(401);
  expect((await tell(faceit.ready(id, demo_url[0]), { query: '?tag=final' })).status).toBe(200);
  const read = async () => (await client.call('getRule', { params: { id: rule.id } })).runs?.[0]?.state;
  await expect.poll(read, PATIENT).toBe('done');
  const one = faceit.addMatch();
  expect((await tell(faceit.ready(one.id, one.demo_url[0]))).status).toBe(200);
  const more = faceit.addMatch();
  expect(await tell(faceit.ready(more.id, more.demo_url[0]))).toMatchObject({ status: 429 });
});

it('reads the demo of a match room, one of several by its name, and says why it cannot', async () => {
  const several = faceit.addMatch(2);
  const { error_code, diagnosis } = await inspected(several.room);
  expect([error_code, diagnosis?.facts]).toEqual(['decompress_failed', { demos: several.files }]);
  expect(await inspected(`${several.room}/scoreboard#${several.files[1]}`)).toMatchObject({ state: 'ready' });
  expect(fetched().at(-1)).toBe(`GET /storage/${several.files[1]}`);
  const gone = await inspected(faceit.addMatch().room.replace(/1-.*/, '1-gone'));
  const summary = expect.stringContaining('FACEIT answered 404: The resource was not found.');
  expect(gone).toMatchObject({ state: 'error', error_code: 'demo_404', diagnosis: { summary } });
  expect(await operator.call('checkFaceit', {})).toEqual({ state: 'works', said: null, todo: null });
});

it('rejects at once what nobody can fetch: without the secret, and what the operator has blocked', async () => {
  const bare = await startTestStack();
  const { baseUrl, credentials } = bare;
  try {
    const poor = createTickreel({ baseUrl, apiKey: credentials.metered_key });
    for (const demo_url of [faceit.addMatch().demo_url[0] ?? '', faceit.addMatch().room]) {
      const summary = expect.stringContaining('FACEIT_API_KEY');
      const rejected = { state: 'error', error_code: 'demo_url_rejected', diagnosis: { summary } };
      expect(await poor.call('inspectDemo', { body: { demo_url } })).toMatchObject(rejected);
    }
    const answer = await fetch(`${baseUrl}/api/ingest/faceit?key=${credentials.metered_key}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(faceit.ready('1-a', faceit.addMatch().demo_url[0])),
    });
    expect(answer.status).toBe(503);
  } finally {
    await bare.remove();
  }
  await operator.call('addBlock', { body: { address: 'faceit-cdn.net', reason: 'a test' } });
  const begin = () => client.call('inspectDemo', { body: { demo_url: faceit.addMatch().demo_url[0] ?? '' } });
  await expect.poll(async () => (await begin()).error_code, { interval: 1000 }).toBe('demo_url_rejected');
});
