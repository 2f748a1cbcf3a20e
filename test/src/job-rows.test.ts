import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Grant } from '../../protocol/gateway.ts';
import { renderJobOf } from '../../service/bindings.ts';
import { CAPABILITIES } from '../support/capabilities.ts';
import { countRows, type WrittenRows } from '../support/count-rows.ts';
import { createHarsh } from '../support/harsh.ts';
import { AHEAD_MS, pass, ringEvicted, useScenario } from '../support/scenario.ts';
import { bindings, submit } from '../support/service.ts';
import { isUnderWay, watchWork } from '../support/under-way.ts';

const scene = useScenario(AHEAD_MS);
let rows: WrittenRows;

beforeAll(async () => {
  rows = await countRows();
  await watchWork();
});

/** Once a job's object has done what it was told. */
async function rest(jobId: string): Promise<void> {
  const isBusy = () => runInDurableObject(renderJobOf(bindings, jobId), (_, { storage }) => isUnderWay(storage));
  await expect.poll(isBusy).toBe(false);
}

/** A host waits, gets the job, and says that it has begun. */
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

it('a render within one lease term writes at most 12 rows', async () => {
  const grant = await begin();
  expect((await scene.host.finish(grant)).status).toBe(204);
  await rest(grant.job_id);
  await pass(6_000, grant.job_id);
  await pass(60_000, grant.job_id);
  expect(rows.ofJobs()).toBe(12);
});

it('a host that finds no work writes nothing after its first claim', async () => {
  const harsh = createHarsh();
  const claim = () => {
    const body = { capabilities: CAPABILITIES, wait_s: 0 };
    return harsh.send(scene.host.token, 'POST', '/gateway/v1/claim', body);
  };
  expect((await claim()).status).toBe(204);
  rows.reset();
  harsh.reset();
  for (let polls = 0; polls < 26; polls++) {
    vi.setSystemTime(Date.now() + 22_500);
    expect((await claim()).status).toBe(204);
  }
  expect(rows.ofDispatcher() + rows.ofJobs() + harsh.rowsWritten()).toBe(0);
});

it('each further term writes at most two', async () => {
  const grant = await begin();
  const before = rows.ofJobs();
  const terms = 10;
  for (let beats = 0; beats < terms * 6; beats++) {
    // Out of memory before each heartbeat: at that distance a host may find the object so every time.
    await ringEvicted(grant.job_id, Date.now() + 10_000);
    expect((await scene.host.heartbeat(grant, 'render', 0.2)).status).toBe(204);
  }
  expect((rows.ofJobs() - before) / terms).toBeLessThanOrEqual(2);
});
