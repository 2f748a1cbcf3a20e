import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterEach, beforeEach, vi } from 'vitest';
import { renderJobOf } from '../../durable-objects/bindings.ts';
import { TestHost } from './host.ts';
import { bindings, createAccount, createHost, type TestAccount } from './service.ts';

/** What most tests of the service need: an account, a host, and a clock that stands still until it is moved. */
export interface Scenario {
  account: TestAccount;
  host: TestHost;
}

/** Sets the scene anew before each test of the file. */
export function useScenario(): Scenario {
  const scenario = {} as Scenario;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
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
