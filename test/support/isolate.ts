import { createExecutionContext } from 'cloudflare:test';
import type { Bindings } from '#service/bindings.ts';
import { createLimits } from '#service/limits.ts';
import { createService } from '#service/service.ts';
import { createApp } from '#src/worker.ts';
import { BASE_URL, bindings } from './service.ts';

const T0 = Date.UTC(2026, 0, 1);

/**
 * Creates the same service with other variables and fresh limits, as a new isolate would. The clock of its rates does
 * not advance, so on a slow machine no limit recovers during a test.
 */
export function isolate(variables: Record<string, string>, more: Partial<Bindings> = {}) {
  const env = { ...bindings, ...variables, ...more } as Bindings;
  const service = createService(env);
  const limits = createLimits(service.settings, env, () => T0);
  // Not copied: a copy would evaluate each getter of the service only once.
  const app = createApp(Object.create(service, { limits: { value: limits } }));
  return async (method: string, path: string, token: string | null, body?: BodyInit | null, headers = {}) => {
    const auth: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
    const type: Record<string, string> = body ? { 'Content-Type': 'application/json' } : {};
    const init = { method, headers: { ...auth, ...type, ...headers }, ...(body ? { body } : {}) };
    const response = await app(new Request(BASE_URL + path, init), createExecutionContext());
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
}

export const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

/** Makes calls one after the other. */
export async function times<T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let i = 0; i < count; i++) answers.push(await call(i));
  return answers;
}
