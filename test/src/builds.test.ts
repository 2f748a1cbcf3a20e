import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dispatcherOf } from '../../durable-objects/dispatcher/dispatchers.ts';
import { renderJobOf } from '../../service/bindings.ts';
import { TestHost } from '../support/host.ts';
import { AHEAD_MS, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, createHost, readJob, submit } from '../support/service.ts';

const scene = useScenario(AHEAD_MS);
const HOUR = 3_600_000;
const queue = () => dispatcherOf(bindings.DISPATCHER);
const build = (game_build: string) => ({ renderer: 'cs2', game_build });

beforeEach(async () => {
  await runInDurableObject(queue(), (_, { storage }) => {
    for (const table of ['ready', 'leases', 'running', 'host_kinds']) storage.sql.exec(`DELETE FROM ${table}`);
  });
  await evictDurableObject(queue());
});

/** A job that a host with this build has refused. */
async function refused(by: string): Promise<string> {
  const jobId = await submit(scene.account.metered);
  await refuse(jobId, by);
  return jobId;
}

async function refuse(jobId: string, by: string, refused_build: string | undefined = by): Promise<void> {
  const grant = await scene.host.claim(build(by), 5);
  expect(grant?.job_id).toBe(jobId);
  if (!grant) return;
  const failed = await scene.host.report(grant, 'fail', { code: 'demo_incompatible', detail: 'no', refused_build });
  expect(failed.status).toBe(204);
}

const job = (jobId: string) => readJob(scene.account.metered, jobId);
const ended = { status: 'error', error_code: 'demo_incompatible' };

describe('a demo that a build of the game refuses', () => {
  it('waits for another build of the fleet, says so, and is rendered there', async () => {
    const other = new TestHost(await createHost());
    expect(await other.claim(build('2'))).toBeNull();
    const jobId = await refused('1');
    expect(await job(jobId)).toMatchObject({ status: 'retrying', error_code: 'demo_incompatible' });
    await ringEvicted(jobId, Date.now() + 20_000);
    await expect.poll(() => queue().size()).toBe(1);
    expect(await scene.host.claim(build('1'))).toBeNull();
    const grant = await other.claim(build('2'), 5);
    expect(grant?.job_id).toBe(jobId);
    if (grant) await other.finish(grant);
    expect(await job(jobId)).toMatchObject({ status: 'done', error_code: null });
  });

  it('has failed at once where the fleet has no other', async () => {
    const jobId = await refused('1');
    await expect.poll(() => job(jobId)).toMatchObject(ended);
    await ringEvicted(jobId, Date.now() + HOUR);
    expect(await job(jobId)).toMatchObject(ended);
  });

  it('has failed with the last build that refuses it', async () => {
    const other = new TestHost(await createHost());
    await other.claim(build('2'));
    const jobId = await refused('1');
    await ringEvicted(jobId, Date.now() + 20_000);
    await refuse(jobId, '2');
    await expect.poll(() => job(jobId)).toMatchObject(ended);
  });

  it('waits for a build that was there within a day, and no longer', async () => {
    await new TestHost(await createHost()).claim(build('2'));
    vi.setSystemTime(Date.now() + 12 * HOUR);
    const jobId = await refused('1');
    await ringEvicted(jobId, Date.now() + 11 * HOUR);
    await evictDurableObject(queue());
    expect(await job(jobId)).toMatchObject({ status: 'pending' });
    await ringEvicted(jobId, Date.now() + 2 * HOUR);
    expect(await job(jobId)).toMatchObject(ended);
  });

  it('is final at once where the host names no build: nobody plays a demo of another game', async () => {
    await new TestHost(await createHost()).claim(build('2'));
    const jobId = await submit(scene.account.metered);
    const grant = await scene.host.claim(build('1'), 5);
    if (grant) await scene.host.report(grant, 'fail', { code: 'demo_incompatible', detail: 'a demo of CS:GO' });
    expect(await job(jobId)).toMatchObject(ended);
  });

  it('keeps what it knows in an object that left memory', async () => {
    await new TestHost(await createHost()).claim(build('2'));
    const jobId = await refused('1');
    const stub = renderJobOf(bindings, jobId);
    await evictDurableObject(stub);
    await ringEvicted(jobId, Date.now() + 20_000);
    const state = await runInDurableObject(stub, (_, { storage }) =>
      JSON.parse(String(storage.sql.exec('SELECT state FROM job').one().state)),
    );
    expect(state).toMatchObject({ status: 'pending', refusedBuilds: ['1'] });
  });
});
