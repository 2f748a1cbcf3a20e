import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { CAPABILITIES } from '../support/capabilities.ts';
import { BASE_URL, bindings, createHost } from '../support/service.ts';

/** A claim to a service that asks for a version. */
async function claimAs(agent_version: string): Promise<Response> {
  const app = createApp(createService({ ...bindings, MIN_AGENT_VERSION: '1.4.0' } as typeof bindings));
  const headers = { Authorization: `Bearer ${await createHost()}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ capabilities: { ...CAPABILITIES, max_fps: 5, agent_version }, wait_s: 0 });
  const context = createExecutionContext();
  const response = await app(new Request(`${BASE_URL}/gateway/v1/claim`, { method: 'POST', headers, body }), context);
  await waitOnExecutionContext(context);
  return response;
}

it('a host that is older than the operator wants is told so, and seen nevertheless', async () => {
  const refused = await claimAs('1.3.9');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    type: expect.stringMatching(/#agent_outdated$/),
    detail: 'This host is of version 1.3.9; 1.4.0 or newer gets work.',
  });
  const seen = bindings.DB.prepare("SELECT COUNT(*) AS n FROM hosts WHERE capabilities LIKE '%1.3.9%'");
  expect(await seen.first('n')).toBe(1);
});

it.each(['1.4.0', '2.0.0'])('a host of version %s gets work', async (version) => {
  expect((await claimAs(version)).status).toBe(204);
});

it.each(['latest', '1.2.3.4', ''])('%j is no version to ask for', (MIN_AGENT_VERSION) => {
  expect(() => createService({ ...bindings, MIN_AGENT_VERSION } as typeof bindings)).toThrow(/MIN_AGENT_VERSION/);
});
