import { createExecutionContext } from 'cloudflare:test';
import type { LimitValues } from '#domain/operate/limits.ts';
import { createClipIds } from '#service/lib/clip-ids.ts';
import { createLimits } from '#service/lib/limits.ts';
import { createPermits } from '#service/lib/permits.ts';
import { type Bindings, createService } from '#service/lib/service.ts';
import { createApp } from '#src/worker.ts';
import type { Used } from '#storage/lib/budgets.ts';
import { ADMIN_TOKEN, BASE_URL, bindings, send, sendJson, submit } from './service.ts';
import { type Made, TestHost } from './test-host.ts';

export interface TestAccount {
  readonly id: string;
  readonly metered: string;
  readonly reserved: string;
}

/** Creates an account with a key of each kind, through the admin API. */
export async function createAccount(): Promise<TestAccount> {
  const account = await created<{ account_id: string }>('/admin/accounts', { name: 'test account' });
  const keys = `/admin/accounts/${account.account_id}/keys`;
  const metered = await created<{ key: string }>(keys, { kind: 'metered' });
  const reserved = await created<{ key: string }>(keys, { kind: 'reserved' });
  return { id: account.account_id, metered: metered.key, reserved: reserved.key };
}

/** Creates a host that calls the Worker in the test's isolate. */
export const hostOf = (token: string) => new TestHost(token, send);

/** Registers a host. */
export async function createHost(): Promise<TestHost> {
  return hostOf((await created<{ token: string }>('/admin/hosts', { name: 'test host' })).token);
}

async function created<T>(path: string, body: unknown): Promise<T> {
  const response = await sendJson(ADMIN_TOKEN, 'POST', path, body);
  if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json<T>();
}

/** Sets what an account has used of its budgets of this hour. */
export async function spendBudget(owner: string, used: Used): Promise<void> {
  const set = bindings.DB.prepare('REPLACE INTO budgets (owner, name, period, used) VALUES (?, ?, ?, ?)');
  const hour = Math.floor(Date.now() / 3_600_000);
  await bindings.DB.batch(Object.entries(used).map(([name, amount]) => set.bind(owner, name, hour, amount)));
}

const ids = createClipIds(createService(bindings).settings.clipIdSecret);

/** Returns the id of the clip of a job. */
export const clipIdOf = ids.clipIdOf;

/** Returns the id of the job of a clip. */
export const jobIdOf = ids.ownerOf;

/** Makes clips of one account, with a test host. */
export async function createClipMaker() {
  const { metered: key } = await createAccount();
  const host = await createHost();
  const render = async (jobId: string, made: Made = {}) => {
    await host.finish(await host.claimJob(jobId), made);
  };
  return {
    key,
    host,
    /** Renders a new job and returns the id of its clip. */
    async make(made: Made & { fps?: number; resolution?: number; demo_url?: string } = {}): Promise<string> {
      const { fps, resolution, demo_url } = made;
      const asked = Object.entries({ fps, resolution, demo_url }).filter(([, value]) => value !== undefined);
      const jobId = await submit(key, Object.fromEntries(asked));
      await render(jobId, made);
      return clipIdOf(jobId);
    },
    /** Runs the job of a clip again, with another result. */
    async remake(clipId: string, made: Made): Promise<void> {
      const jobId = await jobIdOf(clipId);
      await sendJson(key, 'POST', `/api/jobs/${jobId}/resubmit`);
      await render(jobId, made);
    },
    remove: (clipId: string) => sendJson(key, 'DELETE', `/api/clips/${clipId}`),
  };
}

const T0 = Date.UTC(2026, 0, 1);

/**
 * Creates the same service with other variables, constants and fresh limits, as a new isolate would. The clock of its rates does
 * not advance, so on a slow machine no limit recovers during a test.
 */
export function isolate(...terms: Parameters<typeof isolatedApp>) {
  const { app } = isolatedApp(...terms);
  return async (method: string, path: string, token: string | null, body?: BodyInit | null, headers = {}) => {
    const auth: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
    const type: Record<string, string> = body ? { 'Content-Type': 'application/json' } : {};
    const init = { method, headers: { ...auth, ...type, ...headers }, ...(body ? { body } : {}) };
    const response = await app(new Request(BASE_URL + path, init), createExecutionContext());
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
}

/** Creates the app of such an isolate, with what it holds. */
export function isolatedApp(
  variables: Record<string, string>,
  more: Partial<Bindings> = {},
  constants: Partial<LimitValues> = {},
) {
  const env = { ...bindings, ...variables, ...more } as Bindings;
  const service = createService(env);
  const settings = { ...service.settings, limits: { ...service.settings.limits, ...constants } };
  const limits = createLimits(settings, env, () => T0);
  const permits = createPermits(settings, service.now);
  const own = { settings: { value: settings }, limits: { value: limits }, permits: { value: permits } };
  // Not copied: a copy would evaluate each getter of the service only once.
  return { app: createApp(Object.create(service, own)), permits };
}

export const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

/** Makes calls one after the other. */
export async function times<T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let i = 0; i < count; i++) answers.push(await call(i));
  return answers;
}
