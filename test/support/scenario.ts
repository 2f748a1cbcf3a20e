import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeEach, vi } from 'vitest';
import { dispatcherOf } from '#service/lib/service.ts';
import { createAccount, createHost, type TestAccount } from './accounts.ts';
import { freezeClock } from './clock.ts';
import { bindings } from './service.ts';
import type { TestHost } from './test-host.ts';

/** An account, a host and a stopped clock: the needs of most tests of the service. */
export interface Scenario {
  account: TestAccount;
  host: TestHost;
}

/** Creates a new scene before each test of the file. */
export function useScenario(): Scenario {
  const scenario = {} as Scenario;
  beforeEach(async () => {
    freezeClock();
    scenario.account = await createAccount();
    scenario.host = await createHost();
  });
  return scenario;
}

/** Fires the alarm of a job's object. */
export function fireAlarm(jobId: string): Promise<boolean> {
  return runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
}

/** Advances the clock, then fires the alarm of a job. */
export async function pass(ms: number, jobId: string): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await fireAlarm(jobId);
}

/** Evicts an object, unless it has left memory by itself: an idle one does after ten seconds. */
export async function leaveMemory(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object).catch((error: unknown) => {
    if (!/not currently running/.test(String(error))) throw error;
  });
}

/** Evicts a job. Aborts one that is still at work after 30 s, when workerd gives up. Every other error is thrown. */
async function endJob(id: string): Promise<void> {
  const job = bindings.RENDER_JOB.getByName(id);
  await leaveMemory(job).catch(async (error: unknown) => {
    if (!/still has active references/.test(String(error))) throw error;
    const reason = 'a test begins';
    await runInDurableObject(job, (_, state) => state.abort(reason)).catch((aborted: unknown) => {
      if (!String(aborted).includes(reason)) throw aborted;
    });
  });
}

/** Removes the jobs of earlier tests from the queue, and from its memory. First those jobs end what they do. */
export async function resetQueue(): Promise<void> {
  const { results } = await bindings.DB.prepare('SELECT id FROM jobs').all<{ id: string }>();
  await Promise.all(results.map(({ id }) => endJob(id)));
  const dispatcher = dispatcherOf(bindings.DISPATCHER);
  await runInDurableObject(dispatcher, (_, { storage }) => {
    for (const table of ['ready', 'leases', 'running', 'host_kinds', 'host_notes'])
      storage.sql.exec(`DELETE FROM ${table}`);
  });
  await leaveMemory(dispatcher);
}

/** Returns how many jobs wait for hosts, without jobs of suspended accounts. */
export async function queueLength(): Promise<number> {
  const { backlogs } = await dispatcherOf(bindings.DISPATCHER).numbers();
  return backlogs.reduce((sum, { waiting }) => sum + waiting, 0);
}

/** Evicts the object of a job. */
export const evict = (jobId: string) => leaveMemory(bindings.RENDER_JOB.getByName(jobId));

/** Fires each alarm of a job on time until a moment, and evicts the object before each. Nothing else calls the job. */
export async function ringEvicted(jobId: string, until: number): Promise<void> {
  const job = bindings.RENDER_JOB.getByName(jobId);
  for (;;) {
    const at = await runInDurableObject(job, (_, { storage }) => storage.getAlarm());
    await evict(jobId);
    if (at === null || at > until) break;
    vi.setSystemTime(Math.max(at, Date.now()));
    await runDurableObjectAlarm(job);
  }
  vi.setSystemTime(until);
}
