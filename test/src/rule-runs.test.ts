import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { sha256Hex } from '#platform/digest.ts';
import { type Upload, uploadIdIn } from '#protocol/demo/uploads.ts';
import { FOUND_DEMO } from '#protocol/examples/client.ts';
import type { Grant } from '#protocol/host/gateway.ts';
import type { Rule } from '#protocol/rule/rules.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { advanceRuns } from '#service/rule/advance-runs.ts';
import { runUpkeep } from '#src/cron/upkeep.ts';
import { createAccount, createHost, type TestAccount } from '../support/accounts.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { arrive, newContent } from '../support/rules.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson } from '../support/service.ts';
import type { TestHost } from '../support/test-host.ts';
import { createInbox } from '../support/webhooks.ts';

/** What a run keeps to, whatever happens to its rule, its account and its hosts. */

const service = createService(bindings);
const SKILLS = { skills: ['inspect', 'uploads'] };
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const CRON = 5 * 60_000;
const DEADLINE = DEFAULT_SCHEDULE.runDeadline;

vi.setConfig({ testTimeout: 300_000 });
let mine: TestAccount;
let host: TestHost;
beforeAll(async () => {
  host = await createHost();
});
beforeEach(async () => {
  mine = await createAccount();
});

async function make(more: object = {}): Promise<Rule> {
  const body = { name: 'all', render: { what: 'kills', limit: 1 }, ...more };
  const response = await sendJson(mine.metered, 'POST', '/api/rules', body);
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<Rule>();
}

const read = async ({ id }: Rule) => (await sendJson(mine.metered, 'GET', `/api/rules/${id}`)).json<Rule>();
const runsOf = async (rule: Rule) => (await read(rule)).runs ?? [];
const statesOf = async (rule: Rule) => (await runsOf(rule)).map(({ state }) => state);
const patch = (rule: Rule, body: object) => sendJson(mine.metered, 'PATCH', `/api/rules/${rule.id}`, body);
const limit = (limits: object) => sendJson(ADMIN_TOKEN, 'PATCH', `/admin/accounts/${mine.id}`, { limits });
const come = (arrival = {}) => arrive(service.database, mine.id, arrival);

async function upkeep(after = CRON, by = service): Promise<void> {
  vi.setSystemTime(Date.now() + after);
  await runUpkeep(by, Date.now());
}

/** Reads the demos that wait for a host, until there is none. Releases other work. Returns how many were read. */
async function readAll(isReadable: (uploadId: string) => boolean = () => true): Promise<number> {
  const others: Grant[] = [];
  let count = 0;
  for (let grant = await host.claim(SKILLS, 1); grant; grant = await host.claim(SKILLS, 0)) {
    if (grant.order.selection.mode !== 'inspect') {
      others.push(grant);
      continue;
    }
    await host.begin(grant);
    const id = uploadIdIn(grant.order.demo_url, [new URL(BASE_URL)]) ?? '';
    if (isReadable(id)) await host.report(grant, 'inspected', { demo: FOUND_DEMO });
    else await host.fail(grant, 'demo_failed_parse');
    count++;
  }
  for (const other of others) await host.release(other);
  return count;
}

let made = 0;
function demoFile(): Uint8Array<ArrayBuffer> {
  const bytes = crypto.getRandomValues(new Uint8Array(1000));
  bytes.set(new TextEncoder().encode('PBDEMS2\0'));
  new DataView(bytes.buffer).setUint32(8, ++made);
  return bytes;
}

/** Sends a demo as a game server does, and waits for the work behind its answer. */
async function ingest(body: Uint8Array<ArrayBuffer>): Promise<Upload> {
  const { default: worker } = await import('#src/worker.ts');
  const context = createExecutionContext();
  const headers = { Authorization: `Bearer ${mine.metered}`, 'Content-Length': String(body.length) };
  const request = new Request(`${BASE_URL}/api/ingest`, { method: 'POST', headers, body });
  const answer = await worker.fetch(request as Request<unknown, IncomingRequestCfProperties>, bindings, context);
  await waitOnExecutionContext(context);
  return answer.json<Upload>();
}

/** Sends a demo as a client does. */
async function upload(bytes: Uint8Array<ArrayBuffer>): Promise<Upload> {
  const body = { name: 'a.dem', bytes: bytes.length, sha256: await sha256Hex(bytes) };
  const begun = await (await sendJson(mine.metered, 'POST', '/api/uploads', body)).json<Upload>();
  const headers = { Authorization: `Bearer ${mine.metered}` };
  for (const { url } of begun.parts) await send(url.replace(BASE_URL, ''), { method: 'PUT', headers, body: bytes });
  if (begun.parts.length > 0) await sendJson(mine.metered, 'POST', `/api/uploads/${begun.id}/complete`);
  return begun;
}

describe('a run that nobody can take on', () => {
  it('survives a weekend without a host: no demo is lost, and the rule is not paused', { tags: ['long'] }, async () => {
    const few = createService({ ...bindings, LIMIT_INSPECTIONS: '1' } as Bindings);
    const rule = await make();
    for (let day = 0; day < 2; day++) {
      for (let i = 0; i < 2; i++) await advanceRuns(few, await come());
      await upkeep(DAY, few);
      await upkeep(CRON, few);
    }
    expect(await read(rule)).toMatchObject({ enabled: true, paused: null, failures: 0 });
    expect(await statesOf(rule)).toEqual(Array(4).fill('waiting'));
    expect((await runsOf(rule)).filter(({ detail }) => detail?.includes('looked into already'))).toHaveLength(3);
    for (let turn = 0; turn < 5; turn++) {
      await readAll();
      await upkeep(CRON, few);
    }
    expect(await statesOf(rule)).toEqual(Array(4).fill('running'));
  });

  it('waits for a limit of the account as long as a job may. That is no failure of the rule', {
    tags: ['long'],
  }, async () => {
    const rule = await make();
    const id = await come();
    await advanceRuns(service, id);
    await readAll(() => false);
    await upkeep();
    const { failures } = await read(rule);
    const next = await come();
    vi.setSystemTime(Date.now() + HOUR);
    // A job of a client, which waits for a host.
    await limit({ jobs: 1 });
    const body = { demo_url: 'https://demos.example.com/a.dem', steam64_id: '76561198000000001' };
    expect((await sendJson(mine.metered, 'POST', '/api/clips', body)).status).toBe(201);
    const run = async () => (await runsOf(rule)).find(({ upload_id }) => upload_id === next);
    for (const [after, state] of [
      [CRON, 'waiting'],
      [DEADLINE - 2 * HOUR, 'waiting'],
      [HOUR - CRON, 'skipped'],
    ] as const) {
      await upkeep(after);
      expect(await run()).toMatchObject({ state, detail: expect.stringMatching(/^1 jobs/) });
    }
    expect(await read(rule)).toMatchObject({ failures, paused: null });
  });

  it('goes on when its rule is resumed that the service had paused, and its demo is read by then', async () => {
    const rule = await make();
    const id = await come();
    await advanceRuns(service, id);
    await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/accounts/${mine.id}/keys/${rule.made_by.key_id}`);
    await readAll();
    await upkeep();
    const { paused, runs } = await (await sendJson(mine.reserved, 'GET', `/api/rules/${rule.id}`)).json<Rule>();
    expect(paused).not.toBeNull();
    expect(runs).toMatchObject([{ state: 'waiting', detail: expect.stringContaining('revoked') }]);
    expect((await sendJson(mine.reserved, 'PATCH', `/api/rules/${rule.id}`, { enabled: true })).status).toBe(200);
    await upkeep();
    mine = { ...mine, metered: mine.reserved };
    expect(await statesOf(rule)).toEqual(['running']);
  });
});

describe('a run that made no job', () => {
  it('is revived when its rule is resumed', { tags: ['long'] }, async () => {
    const rule = await make();
    const id = await come();
    await patch(rule, { enabled: false });
    await advanceRuns(service, id);
    expect(await runsOf(rule)).toMatchObject([{ state: 'skipped', detail: 'the rule is disabled' }]);
    await patch(rule, { enabled: true });
    expect(await runsOf(rule)).toMatchObject([{ state: 'waiting', detail: null, ended_at: null }]);
    await upkeep();
    await readAll();
    await upkeep();
    expect(await statesOf(rule)).toEqual(['running']);
    // A run with a job stays as it is.
    await patch(rule, { enabled: false });
    await patch(rule, { enabled: true });
    expect(await statesOf(rule)).toEqual(['running']);
  });

  it('is revived by the same content, whose demo is then read again', { tags: ['long'] }, async () => {
    const rule = await make();
    const file = demoFile();
    await ingest(file);
    await readAll(() => false);
    await upkeep();
    expect(await statesOf(rule)).toEqual(['failed']);
    vi.setSystemTime(Date.now() + 1000);
    await ingest(file);
    await readAll();
    await upkeep();
    expect(await statesOf(rule)).toEqual(['running']);
  });

  it('is one of a demo that was known before its rule, once that comes again', { tags: ['long'] }, async () => {
    const [first, second] = [demoFile(), demoFile()];
    await upload(first);
    await upload(second);
    const rule = await make();
    expect(await runsOf(rule)).toEqual([]);
    await ingest(first);
    await upload(second);
    expect(await statesOf(rule)).toEqual(['waiting', 'waiting']);
    await upkeep();
    await readAll();
    await upkeep();
    expect(await statesOf(rule)).toEqual(['running', 'running']);
  });

  it('moves to the new upload of its content', async () => {
    const rule = await make();
    const file = demoFile();
    const first = await ingest(file);
    await sendJson(mine.metered, 'DELETE', `/api/uploads/${first.id}`);
    const second = await ingest(file);
    expect(second.id).not.toBe(first.id);
    expect(await runsOf(rule)).toMatchObject([{ state: 'waiting', upload_id: second.id }]);
    await readAll((id) => id === second.id);
    await upkeep();
    expect(await runsOf(rule)).toMatchObject([{ state: 'running', upload_id: second.id }]);
  });

  it.each([
    ['failed', false, /^the demo cannot be read: ./],
    ['skipped', true, /^its map is de_nuke$/],
  ] as const)('says by a webhook why it %s', async (state, isReadable, detail) => {
    const inbox = createInbox('500,200');
    const to = { webhook_url: inbox.url, webhook_auth_header: 'Bearer of-rule' };
    const rule = await make({ send: to, when: { maps: ['de_dust2'] } });
    const id = await come();
    await advanceRuns(service, id);
    await readAll(() => isReadable);
    await upkeep();
    await upkeep(20 * 60_000);
    const [run] = await runsOf(rule);
    expect(run).toMatchObject({ state, detail: expect.stringMatching(detail) });
    const received = await inbox.received();
    const bodies = received.map(({ body }) => JSON.parse(body));
    const about = { rule_id: rule.id, run_id: run?.id, upload_id: id, state, detail: run?.detail };
    expect(bodies.at(-1)).toEqual({ event: 'rule.ended', ...about });
    const ids = new Set(received.map(({ headers }) => headers['x-service-delivery-id']));
    expect(ids.size).toBe(1);
    expect(received.at(-1)?.headers.authorization).toBe('Bearer of-rule');
    const { length } = received;
    await upkeep(HOUR);
    expect(await inbox.received()).toHaveLength(length);
  });
});

describe('the budget of a day', () => {
  it('of demos is used by a match that was read, not by what cannot be read', { tags: ['long'] }, async () => {
    const rule = await make({ budget: { demos_a_day: 1, clips_a_day: 9 } });
    const rubbish = [await come(), await come(), await come()];
    for (const id of rubbish) await advanceRuns(service, id);
    await readAll(() => false);
    await upkeep();
    expect((await read(rule)).used).toEqual({ demos_a_day: 0, clips_a_day: 0 });
    const good = await come();
    await advanceRuns(service, good);
    await readAll();
    await upkeep();
    expect((await runsOf(rule)).find(({ upload_id }) => upload_id === good)).toMatchObject({ state: 'running' });
    expect((await read(rule)).used).toEqual({ demos_a_day: 1, clips_a_day: 1 });
    const late = await come();
    await advanceRuns(service, late);
    const detail = 'the rule has used its demos of the day';
    expect((await runsOf(rule)).find(({ upload_id }) => upload_id === late)).toMatchObject({
      state: 'skipped',
      detail,
    });
  });
});

describe('PATCH /api/rules/:id', () => {
  it('changes the sent fields only, also of two requests at once', async () => {
    const rule = await make();
    for (const fps of [30, 60, 90, 120]) {
      const budget = { demos_a_day: fps, clips_a_day: fps };
      await Promise.all([patch(rule, { budget }), patch(rule, { options: { fps } }), patch(rule, { name: `r${fps}` })]);
      expect(await read(rule)).toMatchObject({ budget, options: { fps }, name: `r${fps}` });
    }
    await patch(rule, { when: { tags: ['a'] } });
    await patch(rule, { when: { maps: ['de_nuke'] } });
    expect((await read(rule)).when).toEqual({ maps: ['de_nuke'] });
  });
});

describe('the cron', () => {
  it('asks only runs that can move', { tags: ['long'] }, async () => {
    const rule = await make();
    const ids = [await come(), await come(), await come()];
    for (const id of ids) await advanceRuns(service, id);
    const [first = ''] = ids;
    const asked = async (): Promise<number> => {
      const faulty = createFaultyService();
      vi.setSystemTime(Date.now() + CRON);
      await runUpkeep(faulty.service, Date.now());
      return faulty.calls.filter((call) => call === 'RENDER_JOB.readDemo' || call === 'RENDER_JOB.submit').length;
    };
    // The host has not read them.
    await expect.poll(() => indexed(ids)).toBe(3);
    expect(await asked()).toBe(0);
    await readAll((id) => id === first);
    await upkeep();
    // One run waits for its job, and two have ended.
    expect((await statesOf(rule)).sort()).toEqual(['failed', 'failed', 'running']);
    expect(await asked()).toBe(0);
    // A paused rule: nothing can move before it is resumed.
    const late = await come({ sha256: newContent() });
    await advanceRuns(service, late);
    await bindings.DB.prepare('UPDATE rules SET enabled = 0, paused_at = 1 WHERE id = ?').bind(rule.id).run();
    await readAll();
    expect(await asked()).toBe(0);
  });
});

/** Returns how many unfinished inspections of these uploads the index has. */
async function indexed(ids: readonly string[]): Promise<number> {
  const found = bindings.DB.prepare(
    'SELECT COUNT(*) AS n FROM jobs WHERE finished_at IS NULL AND inspected_upload IN (SELECT value FROM json_each(?))',
  );
  return (await found.bind(JSON.stringify(ids)).first<{ n: number }>())?.n ?? 0;
}
