import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTickreel, type Tickreel } from '#client/index.ts';
import { createTickreelOperator, type TickreelOperator } from '#client/operator.ts';
import { FACEIT_KEYS, faceitMessage, startFaceit } from '../../support/faceit.ts';
import { SHORT_CLIP, writeShortDemo } from '../../support/short-demo.ts';
import { startTestStack, type TestStack } from '../../support/test-stack.ts';

const COUNT = 20;
const PATIENT = { timeout: 120_000, interval: 1000 };

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
  const keys = { FACEIT_API_KEY: FACEIT_KEYS.DATA, FACEIT_DOWNLOADS_KEY: FACEIT_KEYS.DOWNLOADS };
  stack = await startTestStack({ hosts: 2, variables: { ...keys, FACEIT_URL: faceit.url, LIMIT_INSPECTIONS: '100' } });
  const { baseUrl, credentials } = stack;
  client = createTickreel({ baseUrl, apiKey: credentials.metered_key });
  operator = createTickreelOperator({ baseUrl, adminToken: credentials.admin_token });
  const body = { kind: 'metered', scope: 'ingest', ingest_limits: { demos: COUNT + 1 } } as const;
  key = (await operator.call('createKey', { params: { id: credentials.account_id }, body })).key;
});

afterAll(async () => {
  await stack?.remove();
  faceit?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a message as FACEIT does, and returns the status of the answer. */
async function tell(message: object, query = '', headers: Record<string, string> = { 'X-Api-Key': key }) {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
  return (await fetch(`${stack.baseUrl}/api/ingest/faceit${query}`, { ...init, body: JSON.stringify(message) })).status;
}

async function inspected(demo_url: string) {
  const { id } = await client.call('inspectDemo', { body: { demo_url } });
  const read = () => client.call('getDemo', { params: { id } });
  await expect.poll(async () => (await read()).state, PATIENT).not.toBe('pending');
  return read();
}

const runsOf = async ({ id }: { id: string }) => (await client.call('getRule', { params: { id } })).runs ?? [];
const fetched = () => faceit.calls.filter((call) => call.startsWith('GET /storage/'));

it(`takes ${COUNT} links and ${COUNT} messages, each more than once: none is lost, none is fetched twice`, async () => {
  const all = Array.from({ length: 2 * COUNT }, () => faceit.addMatch());
  const [links, messages] = [all.slice(0, COUNT), all.slice(COUNT)];
  const when = { sources: ['faceit' as const], maps: ['de_vertigo'] };
  const budget = { demos_a_day: 100, clips_a_day: 50 };
  const rule = await client.call('createRule', { body: { name: 'all', render: { what: 'kills' }, when, budget } });
  const asked = links.flatMap(({ url }) => [inspected(url), inspected(url)]);
  const told = messages.map(async ({ id, url }) => {
    const first = await Promise.all([0, 1].map((retry) => tell(faceitMessage(id, url, retry))));
    expect([...first, await tell(faceitMessage(id, url, 2), `?key=${key}`, {})]).toEqual([200, 200, 200]);
  });
  await Promise.all(told);
  faceit.outages.push(503, 429);
  for (const demo of await Promise.all(asked))
    expect(demo).toMatchObject({ state: 'ready', match: { kills: [{}, {}] } });
  const { uploads } = await client.call('listUploads');
  expect(uploads.map(({ name }) => name).sort()).toEqual(messages.flatMap(({ files }) => files).sort());
  expect(uploads[0]).toMatchObject({ source: 'faceit', state: 'complete', bytes: 0, sha256: null });
  const skipped = async () => (await runsOf(rule)).filter(({ state }) => state === 'skipped');
  await expect.poll(skipped, PATIENT).toHaveLength(COUNT);
  expect(new Set((await skipped()).map((run) => run.upload_id))).toEqual(new Set(uploads.map(({ id }) => id)));
  expect(fetched().sort()).toEqual(all.map(({ files }) => `GET /storage/${files[0]}`).sort());
});

it("makes a rule's clips of a message, ignores other events, refuses one without a demo, and stops at the key's limit", async () => {
  const { steam64_id: _, ...options } = SHORT_CLIP;
  const render = { what: 'kills' as const, limit: 1 };
  const rule = await client.call('createRule', { body: { name: 'final', when: { tags: ['final'] }, render, options } });
  const { id, url } = faceit.addMatch();
  expect(await tell(faceitMessage(id, '', 0, 'match_status_finished'))).toBe(200);
  expect(await tell(faceitMessage(id, 'https://example.com/a.dem'))).toBe(400);
  expect(await tell(faceitMessage(id, url), '', {})).toBe(401);
  expect(await tell(faceitMessage(id, url), '?tag=final')).toBe(200);
  await expect.poll(async () => (await runsOf(rule))[0]?.state, PATIENT).toBe('done');
  const more = faceit.addMatch();
  expect(await tell(faceitMessage(more.id, more.url))).toBe(429);
});

it('reads the demo of a match room, one of several by its name, and says why it cannot', async () => {
  const several = faceit.addMatch(2);
  const { error_code, diagnosis } = await inspected(several.room);
  expect([error_code, diagnosis?.facts]).toEqual(['decompress_failed', { demos: several.files }]);
  expect(await inspected(`${several.room}/scoreboard#${several.files[1]}`)).toMatchObject({ state: 'ready' });
  expect(fetched().at(-1)).toBe(`GET /storage/${several.files[1]}`);
  const summary = expect.stringContaining('FACEIT answered 404: The resource was not found.');
  const gone = { state: 'error', error_code: 'demo_404', diagnosis: { summary } };
  expect(await inspected('https://www.faceit.com/en/cs2/room/1-gone')).toMatchObject(gone);
  expect(await operator.call('checkFaceit', {})).toEqual({ state: 'works', detail: null });
  await operator.call('addBlock', { body: { address: 'faceit-cdn.net', reason: 'a test' } });
  const begin = () => client.call('inspectDemo', { body: { demo_url: faceit.addMatch().url } });
  await expect.poll(async () => (await begin()).error_code, PATIENT).toBe('demo_url_rejected');
});
