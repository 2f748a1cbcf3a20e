import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { BASE_URL, bindings, createAccount } from '../support/service.ts';

/** The service with an object that fails every call in a given way. */
async function readJobFrom(failure: Error): Promise<Response> {
  const stub = { read: () => Promise.reject(failure) };
  const app = createApp(createService({ ...bindings, RENDER_JOB: { getByName: () => stub } as never }));
  const { metered } = await createAccount();
  const request = new Request(`${BASE_URL}/api/jobs/${crypto.randomUUID()}`, {
    headers: { Authorization: `Bearer ${metered}` },
  });
  return app(request, createExecutionContext());
}

describe('an object that cannot be reached', () => {
  it.each(['retryable', 'overloaded'])('for a moment (%s) gives 503 with Retry-After', async (property) => {
    const response = await readJobFrom(Object.assign(new Error('the object moved'), { [property]: true }));
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
  });

  it('for another reason gives 500 and tells the client nothing of it', async () => {
    const response = await readJobFrom(new Error('a secret detail'));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
  });
});
