import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeEach, vi } from 'vitest';
import { freezeClock } from './clock.ts';
import { hostOf } from './host.ts';
import { bindings, createAccount, createHost, type TestAccount } from './service.ts';
import type { TestHost } from './test-host.ts';

/** What most tests of the service need: an account, a host, and a clock that stands still until it is moved. */
export interface Scenario {
  account: TestAccount;
  host: TestHost;
}

/** Sets the scene anew before each test of the file. */
export function useScenario(): Scenario {
  const scenario = {} as Scenario;
  beforeEach(async () => {
    freezeClock();
    scenario.account = await createAccount();
    scenario.host = hostOf(await createHost());
  });
  return scenario;
}

/** Calls the alarm of a job's object, as the platform would. */
export function fireAlarm(jobId: string): Promise<boolean> {
  return runDurableObjectAlarm(bindings.RENDER_JOB.getByName(jobId));
}

/** Moves the clock, then fires a job's alarm. */
export async function pass(ms: number, jobId: string): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await fireAlarm(jobId);
}

/** An object leaves memory, unless it has done so by itself: one with nothing to do goes after ten seconds. */
export async function leaveMemory(object: DurableObjectStub): Promise<void> {
  await evictDurableObject(object).catch((error: unknown) => {
    if (!/not currently running/.test(String(error))) throw error;
  });
}

/** A job's object leaves memory. */
export const evict = (jobId: string) => leaveMemory(bindings.RENDER_JOB.getByName(jobId));

/**
 * Rings every alarm of a job on time until a moment, with the object out of memory before each, as one that nobody asks
 * for is. Nothing else looks at the job.
 */
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
