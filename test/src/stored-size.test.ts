import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Grant } from '#protocol/gateway.ts';
import { projectJob } from '#storage/job-index.ts';
import { insertUsage, pruneUsage } from '#storage/usage.ts';
import { newJob, T0 } from '../core/domain/builders.ts';
import { countRows, type WrittenRows } from '../support/count-rows.ts';
import { createFaultyService } from '../support/faulty-service.ts';
import { fireAlarm, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, readJob, roundRequest, submit } from '../support/service.ts';
import { isUnderWay, watchWork } from '../support/under-way.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();

/** Counts the calls of the platform for one clip, from submit to deletion, with a webhook and two views. */
describe("one clip's life", () => {
  it('costs so many calls, rows and bytes, and no more', async () => {
    const faulty = createFaultyService();
    const rows = await countRows();
    const { metered } = scene.account;
    const post = (token: string, path: string, body?: unknown) => faulty.send(token, 'POST', path, body);
    // The isolate caches the caller after the first request.
    await faulty.send(metered, 'GET', '/api/jobs');
    const host = faulty.host(scene.host.token);
    await host.ask();
    faulty.reset();
    rows.reset();

    const inbox = createInbox();
    const submitted = await post(metered, '/api/clips', roundRequest({ webhook_url: inbox.url }));
    const { job_id: jobId } = await submitted.json<{ job_id: string }>();
    await fireAlarm(jobId);
    await faulty.inside(jobId);
    const grant = await host.claimJob(jobId);
    for (let beats = 0; beats < 12; beats++) {
      vi.setSystemTime(Date.now() + 10_000);
      await host.heartbeat(grant, 'render', beats / 12);
    }
    expect((await host.finish(grant)).status).toBe(204);
    // An alarm that fires during the work is set again.
    await expect.poll(() => inbox.received()).toHaveLength(1);
    await fireAlarm(jobId);
    const { clip_id } = await readJob<{ clip_id: string }>(metered, jobId);
    const clip = `/clips/${clip_id}`;
    for (const path of [clip, `${clip}/video.mp4`, `${clip}/video.mp4`])
      await (await faulty.send('', 'GET', path)).arrayBuffer();
    await faulty.send(metered, 'DELETE', `/api/clips/${clip_id}`);
    await fireAlarm(jobId);

    const asked = (of: RegExp) => faulty.calls.filter((call) => of.test(call)).length;
    const bytes = await runInDurableObject(
      bindings.RENDER_JOB.getByName(jobId),
      (_, { storage }) => storage.sql.databaseSize,
    );
    const life = {
      objects: asked(/^(RENDER_JOB|DISPATCHER)/),
      statements: asked(/^DB/),
      rowsWritten: rows.ofIndex(),
      jobRows: rows.ofJobs(),
      dispatcherRows: rows.ofDispatcher(),
      classA: asked(/^CLIPS\.(createMultipartUpload|uploadPart|complete|put|list)/),
      classB: asked(/^CLIPS\.(get|head)/),
      bytes,
    };
    // docs/scale.md has the bill of it. An effect that is tried twice on a busy machine costs a call or two.
    const most = {
      objects: 28,
      // One of them reads the controls, at most every five seconds in an isolate.
      statements: 11,
      rowsWritten: 28,
      jobRows: 22,
      dispatcherRows: 11,
      classA: 4,
      classB: 12,
    };
    for (const [what, count] of Object.entries(most)) {
      expect(life[what as keyof typeof most], what).toBeGreaterThan(0);
      expect(life[what as keyof typeof most], what).toBeLessThanOrEqual(count + 2);
    }
    expect(life.bytes).toBeLessThanOrEqual(16_384);
  });
});

let rows: WrittenRows;

beforeAll(async () => {
  rows = await countRows();
  await watchWork();
});

/** Waits until the object of a job has no running work. */
async function rest(jobId: string): Promise<void> {
  const isBusy = () =>
    runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => isUnderWay(storage));
  await expect.poll(isBusy).toBe(false);
}

/** A host polls, gets the job and confirms it. */
async function begin(overrides: Record<string, unknown> = {}): Promise<Grant> {
  const { host, account } = scene;
  const held = host.claim({}, 20);
  rows.reset();
  await submit(account.metered, overrides);
  const grant = await held;
  if (!grant) throw new Error('the host got nothing');
  await host.heartbeat(grant, 'prefetch', 0);
  await rest(grant.job_id);
  await pass(6_000, grant.job_id);
  await host.heartbeat(grant, 'render', 0.1);
  return grant;
}

it('a render within one lease term writes at most ten rows', async () => {
  const grant = await begin();
  expect((await scene.host.finish(grant)).status).toBe(204);
  await rest(grant.job_id);
  await pass(6_000, grant.job_id);
  await pass(60_000, grant.job_id);
  expect(rows.ofJobs()).toBe(10);
});

it('a host that finds no work writes nothing but a row a minute of the dispatcher after its first claim', async () => {
  const faulty = createFaultyService();
  const claim = () => faulty.host(scene.host.token).ask();
  expect((await claim()).status).toBe(204);
  rows.reset();
  faulty.reset();
  for (let polls = 0; polls < 26; polls++) {
    vi.setSystemTime(Date.now() + 22_500);
    expect((await claim()).status).toBe(204);
  }
  expect(rows.ofJobs() + faulty.rowsWritten()).toBe(0);
  // In 585 seconds, for all hosts together.
  expect(rows.ofDispatcher()).toBeLessThanOrEqual(9);
});

it('each further term writes at most two', async () => {
  const grant = await begin();
  const before = rows.ofJobs();
  const terms = 10;
  for (let beats = 0; beats < terms * 6; beats++) {
    // Evicted before each heartbeat: at that interval the platform may do so each time.
    await ringEvicted(grant.job_id, Date.now() + 10_000);
    expect((await scene.host.heartbeat(grant, 'render', 0.2)).status).toBe(204);
  }
  expect((rows.ofJobs() - before) / terms).toBeLessThanOrEqual(2);
});

const db = createFaultyService().service.database;
/** So many that a page of the file more or less is under a byte a row. */
const ROWS = 40_000;
const FILE = { key: `clips/${crypto.randomUUID()}/1/video.mp4`, bytes: 9_000_000, sha256: 'f'.repeat(64) };
const CLIP = {
  isSaved: false,
  title: '2 kills by Ferris on cs_italy',
  facts: { kills: 2, players: ['Ferris'], map: 'cs_italy', round: 7 },
  resolution: 1080,
  fps: 30,
  tier: 'metered' as const,
  durationSeconds: 7.5,
  video: FILE,
  thumbnail: FILE,
  createdAt: T0,
  renderedAt: T0,
};

/** Measures the bytes of a row with its index entries, as a mean of many. */
async function bytesOf(table: string, id: string): Promise<number> {
  const { results } = await bindings.DB.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const columns = results
    .map(({ name }) => (name === 'id' ? 'substr(lower(hex(randomblob(18))), 1, 36)' : name))
    .join();
  const size = async () => (await bindings.DB.prepare('SELECT 1').run()).meta.size_after;
  const before = await size();
  await bindings.DB.prepare(
    `INSERT INTO ${table} SELECT ${columns} FROM ${table}, (SELECT value FROM json_each(?)) AS n WHERE id = ?`,
  )
    .bind(JSON.stringify(Array.from({ length: ROWS }, (_, i) => i)), id)
    .run();
  return Math.round(((await size()) - before) / ROWS);
}

async function deletedClip() {
  const job = { ...newJob(), id: crypto.randomUUID(), clip: { ...CLIP, state: 'deleted' as const } };
  await projectJob(
    db,
    job,
    { mode: 'round', fps: null, resolution: 1080, ruleRun: null, inspectedUpload: null },
    { upkeepAt: null, idleSince: null, spareSince: null, trouble: null },
  );
  const row = await bindings.DB.prepare('SELECT id FROM clips WHERE job_id = ?').bind(job.id).first<{ id: string }>();
  return { jobId: job.id, clipId: row?.id ?? '' };
}

describe('what the index keeps', () => {
  it('of an expired clip is under 300 bytes, with its entries in all indexes', async () => {
    const { jobId, clipId } = await deletedClip();
    expect(await bytesOf('clips', clipId)).toBeLessThan(300);
    expect(await bytesOf('jobs', jobId)).toBeLessThan(480);
  });

  it('of a run is a row for thirty days, and its seconds in the sum of the day for good', async () => {
    const accountId = crypto.randomUUID();
    const run = { accountId, tier: 'metered', resolution: 1080, fps: 30, seconds: 2.5, renderedAt: T0 } as const;
    for (const jobId of ['one', 'two', 'one']) await insertUsage(db, { ...run, jobId: jobId + accountId, run: 1 });
    const sum = () =>
      bindings.DB.prepare('SELECT seconds FROM usage_days WHERE account_id = ?').bind(accountId).first();
    expect(await sum()).toEqual({ seconds: 5 });
    const runs = async () =>
      (await bindings.DB.prepare('SELECT job_id FROM usage WHERE account_id = ?').bind(accountId).all()).results;
    // A page of one run: the next begins after it.
    expect(await pruneUsage(db, T0, `one${accountId}`.slice(0, -1), 1)).toBe(`one${accountId}`);
    expect(await runs()).toHaveLength(2);
    expect(await pruneUsage(db, T0 + 1, '', 90)).toBeUndefined();
    expect(await runs()).toEqual([]);
    expect(await sum()).toEqual({ seconds: 5 });
  });
});
