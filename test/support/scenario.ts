import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, vi } from 'vitest';
import { renderJobOf } from '../../service/bindings.ts';
import { TestHost } from './host.ts';
import { bindings, createAccount, createHost, type TestAccount } from './service.ts';

/** What most tests of the service need: an account, a host, and a clock that stands still until it is moved. */
export interface Scenario {
  account: TestAccount;
  host: TestHost;
}

/** Ahead of the real clock, no alarm rings by itself, however slow the machine is. */
export const AHEAD_MS = 400 * 24 * 60 * 60_000;

/** Sets the scene anew before each test of the file; so far ahead of the real clock, no real alarm rings in between. */
export function useScenario(aheadMs = AHEAD_MS): Scenario {
  const scenario = {} as Scenario;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + aheadMs);
    scenario.account = await createAccount();
    scenario.host = new TestHost(await createHost());
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  return scenario;
}

/** Calls the alarm of a job's object, as the platform would. */
export function fireAlarm(jobId: string): Promise<boolean> {
  return runDurableObjectAlarm(renderJobOf(bindings, jobId));
}

/** Moves the clock, then fires a job's alarm. */
export async function pass(ms: number, jobId: string): Promise<void> {
  vi.setSystemTime(Date.now() + ms);
  await fireAlarm(jobId);
}

/**
 * Rings every alarm of a job on time until a moment, with the object out of memory before each, as one that nobody asks
 * for is. Nothing else looks at the job.
 */
export async function ringEvicted(jobId: string, until: number): Promise<void> {
  const job = renderJobOf(bindings, jobId);
  for (;;) {
    const at = await runInDurableObject(job, (_, { storage }) => storage.getAlarm());
    await evictDurableObject(job);
    if (at === null || at > until) break;
    vi.setSystemTime(Math.max(at, Date.now()));
    await runDurableObjectAlarm(job);
  }
  vi.setSystemTime(until);
}
