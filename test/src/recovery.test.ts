import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { publicRecordKey } from '#domain/job/storage-keys.ts';
import { keepEarlierState } from '#test/support/objects.ts';
import { clipIdOf } from '../support/accounts.ts';
import { createFaultyService, SAYS } from '../support/faulty-service.ts';
import { evict, fireAlarm, useScenario } from '../support/scenario.ts';
import { ADMIN_TOKEN, bindings, readJob, send, sendJson, sendThrough, submit } from '../support/service.ts';
import { createInbox } from '../support/webhooks.ts';

const scene = useScenario();
const post = (path: string, body: unknown) => sendJson(ADMIN_TOKEN, 'POST', path, body);
const objectIds = async (jobIds: readonly string[]) =>
  jobIds.map((id) => bindings.RENDER_JOB.idFromName(id).toString());
/** Runs in its own invocation, which ends with its stubs of the failed object. */
async function reindex(objects: readonly string[]): Promise<unknown> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ objects });
  return (await sendThrough('/admin/reindex', { method: 'POST', headers, body })).json();
}

async function makeClip(): Promise<{ jobId: string; clipId: string }> {
  const jobId = await submit(scene.account.metered);
  await scene.host.finish(await scene.host.claimJob(jobId));
  await fireAlarm(jobId);
  return { jobId, clipId: await clipIdOf(jobId) };
}

async function rerun(jobId: string): Promise<void> {
  await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
  await scene.host.finish(await scene.host.claimJob(jobId));
  await fireAlarm(jobId);
}

/** Returns the billed runs of a job. */
async function billed(jobId: string): Promise<unknown[]> {
  const { results } = await bindings.DB.prepare('SELECT run FROM usage WHERE job_id = ? ORDER BY run')
    .bind(jobId)
    .all();
  return results.map(({ run }) => run);
}

async function failed(body = {}): Promise<string> {
  const jobId = await submit(scene.account.metered, body);
  await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
  await fireAlarm(jobId);
  return jobId;
}

/** Returns the rows of jobs without the times and counts of writes. */
async function indexed(): Promise<unknown> {
  const tables = { jobs: 'id', clips: 'id', usage: 'job_id', usage_days: 'day', day_counts: 'day, name' };
  const rows = Object.entries(tables).map(async ([table, order]) => {
    const { results } = await bindings.DB.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).all();
    return [table, results.map(({ version: _v, changed_at: _c, watch_at: _w, ...row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/** Saves the index. Returns a function that restores it, like the recovery of the database. */
async function bookmark(): Promise<() => Promise<void>> {
  // The sums last, because writing the rows changes them.
  const tables = ['jobs', 'clips', 'usage', 'usage_days', 'day_counts'];
  const kept = await Promise.all(tables.map((table) => bindings.DB.prepare(`SELECT * FROM ${table}`).all()));
  return async () => {
    for (const table of tables) await bindings.DB.prepare(`DELETE FROM ${table}`).run();
    for (const [i, table] of tables.entries()) {
      await bindings.DB.prepare(`DELETE FROM ${table}`).run();
      for (const row of kept[i]?.results ?? []) {
        const names = Object.keys(row);
        const put = bindings.DB.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
        await put.bind(...Object.values(row)).run();
      }
    }
  };
}

describe('an index that was taken back', () => {
  it('is written anew by the jobs: what was made, failed, deleted, run again and billed since', async () => {
    const [kept, deleted, again] = [await makeClip(), await makeClip(), await makeClip()];
    const old = await failed();
    const restore = await bookmark();
    vi.setSystemTime(Date.now() + 30 * 60_000);
    await sendJson(scene.account.metered, 'DELETE', `/api/clips/${deleted.clipId}`);
    for (let runs = 0; runs < 2; runs++) await rerun(again.jobId);
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${again.jobId}/resubmit`);
    await scene.host.report(await scene.host.claimJob(again.jobId), 'fail', { code: 'demo_404', detail: '' });
    const made = await makeClip();
    const inbox = createInbox('500');
    const unheard = await failed({ webhook_url: inbox.url });
    const waiting = await submit(scene.account.reserved);
    const jobs = [kept.jobId, deleted.jobId, again.jobId, old, made.jobId, unheard, waiting];
    for (const jobId of jobs) await fireAlarm(jobId);
    const before = await indexed();
    await restore();
    expect(await indexed()).not.toEqual(before);
    for (const jobId of jobs) await evict(jobId);
    const never = bindings.RENDER_JOB.idFromName(crypto.randomUUID()).toString();
    const ids = await objectIds(jobs);
    expect(await reindex([...ids, never])).toEqual({ indexed: 5, current: 2, empty: 1, failed: [] });
    expect(await indexed()).toEqual(before);
    expect(await reindex(ids)).toEqual({ indexed: 0, current: 7, empty: 0, failed: [] });
    expect((await listDurableObjectIds(bindings.RENDER_JOB)).map(String)).toEqual(expect.arrayContaining(ids));
    await scene.host.report(await scene.host.claimJob(waiting), 'fail', { code: 'demo_404', detail: '' });
  });

  it('gets the bill of a job also where the row of the job is current', async () => {
    const { jobId } = await makeClip();
    await rerun(jobId);
    await bindings.DB.prepare('DELETE FROM usage WHERE job_id = ?').bind(jobId).run();
    const ids = await objectIds([jobId]);
    expect(await reindex(ids)).toMatchObject({ current: 1 });
    expect(await billed(jobId)).toEqual([1, 2]);
    // The sums of older runs are final.
    await bindings.DB.prepare('DELETE FROM usage WHERE job_id = ?').bind(jobId).run();
    vi.setSystemTime(Date.now() + 31 * 24 * 60 * 60_000);
    await reindex(ids);
    expect(await billed(jobId)).toEqual([]);
  });

  it('has those named that could not write, for another time', async () => {
    const jobId = await failed();
    await bindings.DB.prepare('DELETE FROM jobs WHERE id = ?').bind(jobId).run();
    await evict(jobId);
    const faulty = createFaultyService();
    await faulty.inside(jobId);
    faulty.fail('DB', SAYS.d1[2] ?? '', { times: 9 });
    const ids = await objectIds([jobId]);
    expect(await reindex(ids)).toMatchObject({ indexed: 0, failed: ids });
    await evict(jobId);
    await reindex(ids);
    const row = await bindings.DB.prepare('SELECT status FROM jobs WHERE id = ?').bind(jobId).first();
    expect(row).toEqual({ status: 'error' });
    expect((await post('/admin/reindex', { objects: ['f'.repeat(64)] })).status).toBe(200);
    expect((await post('/admin/reindex', { objects: ['x'] })).status).toBe(400);
  });
});

describe('a bucket that has lost some of its files', () => {
  it('is looked through, and clips without their files are rendered again in place', async () => {
    const [whole, lost, hidden] = [await makeClip(), await makeClip(), await makeClip()];
    await bindings.CLIPS.delete(`clips/${lost.clipId}/1/video.mp4`);
    await bindings.CLIPS.delete(publicRecordKey(hidden.clipId));
    for (const { jobId } of [whole, lost, hidden]) await evict(jobId);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await send(`/clips/${lost.clipId}/video.mp4`)).status).toBe(404);
    const answer = await sendJson(scene.account.metered, 'GET', `/api/clips/${lost.clipId}`);
    expect(await answer.json()).toMatchObject({ state: 'ready' });
    const look = async (resubmit: boolean) => {
      const found: unknown[] = [];
      let resubmitted = 0;
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const body = { resubmit, ...(cursor ? { cursor } : {}) };
        const page = await (await post('/admin/clips/check', body)).json<{
          lost: unknown[];
          resubmitted: number;
          next_cursor: string | null;
        }>();
        found.push(...page.lost);
        resubmitted += page.resubmitted;
        cursor = page.next_cursor;
      }
      return { found, resubmitted };
    };
    const found = [{ clip_id: lost.clipId, job_id: lost.jobId, account_id: scene.account.id, missing: ['video'] }];
    expect(await look(false)).toEqual({ found, resubmitted: 0 });
    expect(await look(true)).toEqual({ found, resubmitted: 1 });
    await scene.host.finish(await scene.host.claimJob(lost.jobId));
    await reindex(await objectIds([hidden.jobId]));
    vi.setSystemTime(Date.now() + 60_000);
    for (const { clipId } of [whole, lost, hidden]) {
      expect((await send(`/clips/${clipId}/video.mp4`)).status).toBe(200);
    }
    expect(await look(false)).toEqual({ found: [], resubmitted: 0 });
  });
});

describe("a job's object that is taken back", () => {
  const recover = (jobId: string, body: object = { at: new Date().toISOString() }) =>
    post(`/admin/jobs/${jobId}/recover`, body);

  it('is as it was, and so are the index and viewers; what it granted since is never granted again', async () => {
    const { jobId, clipId } = await makeClip();
    await evict(jobId);
    await keepEarlierState(jobId);
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    await scene.host.report(await scene.host.claimJob(jobId), 'fail', { code: 'demo_404', detail: '' });
    await sendJson(scene.account.metered, 'DELETE', `/api/clips/${clipId}`);
    const answer = await recover(jobId);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { job_id: jobId, status: 'done', undo_bookmark: 'leads back' },
    ]);
    await evict(jobId);
    expect(await readJob(scene.account.metered, jobId)).toMatchObject({ status: 'done', clip_id: clipId });
    const row = bindings.DB.prepare('SELECT status, state FROM jobs JOIN clips ON job_id = jobs.id WHERE jobs.id = ?');
    expect(await row.bind(jobId).first()).toEqual({ status: 'done', state: 'ready' });
    expect(await (await bindings.CLIPS.get(publicRecordKey(clipId)))?.json()).toMatchObject({ state: 'ready' });
    await sendJson(scene.account.metered, 'POST', `/api/jobs/${jobId}/resubmit`);
    const grant = await scene.host.claimJob(jobId);
    expect(grant.lease.fence).toBeGreaterThan(2);
    await scene.host.finish(grant);
    await evict(jobId);
    vi.setSystemTime(Date.now() + 60_000);
    expect((await send(`/clips/${clipId}/video.mp4`)).status).toBe(200);
  });

  it('is billed for each clip that it makes, before and after, and once for each', async () => {
    const { jobId } = await makeClip();
    await evict(jobId);
    await keepEarlierState(jobId);
    await rerun(jobId);
    expect((await recover(jobId)).status).toBe(200);
    await evict(jobId);
    await reindex(await objectIds([jobId]));
    expect(await billed(jobId)).toEqual([1, 2]);
    await rerun(jobId);
    expect(await billed(jobId)).toEqual([1, 2, 3]);
  });

  it.each([false, true])('is billed for the run that goes on after it (state cannot be read: %s)', async (isBroken) => {
    const jobId = await submit(scene.account.metered);
    await evict(jobId);
    const inside = <T>(work: (sql: SqlStorage) => T) =>
      runInDurableObject(bindings.RENDER_JOB.getByName(jobId), (_, { storage }) => work(storage.sql));
    const then = await inside((sql) => Object.values(sql.exec('SELECT state, outbox FROM job').one()));
    if (!isBroken) await keepEarlierState(jobId);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    if (isBroken) {
      await inside((sql) => void sql.exec(`UPDATE job SET state = '{"v":1'`));
      await evict(jobId);
      // The object has read the damaged state by now.
      await inside((sql) => void sql.exec('UPDATE job SET state = ?, outbox = ?', ...then));
      await keepEarlierState(jobId);
    }
    expect(await (await recover(jobId)).json()).toMatchObject({ status: 'pending' });
    await evict(jobId);
    await scene.host.finish(await scene.host.claimJob(jobId));
    await fireAlarm(jobId);
    expect(await billed(jobId)).toEqual([1, 2]);
  });

  it('is refused if the operator took its clip down since', async () => {
    const { jobId, clipId } = await makeClip();
    await evict(jobId);
    await keepEarlierState(jobId);
    expect((await sendJson(ADMIN_TOKEN, 'DELETE', `/admin/clips/${clipId}`, { reason: 'x' })).status).toBe(204);
    expect((await recover(jobId)).status).toBe(410);
    await evict(jobId);
    expect(await (await bindings.CLIPS.get(publicRecordKey(clipId)))?.json()).toMatchObject({ state: 'removed' });
  });

  it('is refused where the runtime keeps no earlier states, as on one machine', async () => {
    const { jobId } = await makeClip();
    const answer = await recover(jobId);
    expect([answer.status, await answer.json()]).toEqual([
      501,
      expect.objectContaining({ type: 'https://tickreel.test/docs/problems#not_implemented' }),
    ]);
    expect((await recover(jobId, {})).status).toBe(400);
    for (const days of [-31, 1]) {
      const at = new Date(Date.now() + days * 24 * 60 * 60_000).toISOString();
      expect((await recover(jobId, { at })).status).toBe(400);
    }
  });
});
