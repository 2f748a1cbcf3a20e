import { createExecutionContext } from 'cloudflare:test';
import type { Bindings } from '../../service/bindings.ts';
import { createLimits } from '../../service/limits.ts';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { BASE_URL, bindings } from './service.ts';

const T0 = Date.UTC(2026, 0, 1);

/**
 * The same service with limits of its own, as a fresh isolate has it. Nothing but its variables is another, and the
 * clock of its rates stands still: on a slow machine nothing of a limit comes back meanwhile.
 */
export function isolate(variables: Record<string, string>, more: Partial<Bindings> = {}) {
  const env = { ...bindings, ...variables, ...more } as Bindings;
  const service = createService(env);
  const limits = createLimits(service.settings, env, () => T0);
  // A getter of the service's would be asked only once if it were copied.
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

/** One after the other. */
export async function times<T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let i = 0; i < count; i++) answers.push(await call(i));
  return answers;
}
