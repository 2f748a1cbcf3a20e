import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { Dispatcher } from '../../durable-objects/dispatcher/dispatcher.ts';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { BASE_URL, bindings, createHost } from '../support/service.ts';

/** How long the dispatcher is asked to hold a poll, in seconds, where a host asks for this long. */
async function heldFor(wait_s: number, random: number): Promise<number> {
  const asked: number[] = [];
  const next: Dispatcher['next'] = async (_poll, _capability, waitMs) => {
    asked.push(waitMs / 1000);
    return null;
  };
  const service = createService({ ...bindings, DISPATCHER: { getByName: () => ({ next }) } as never });
  const app = createApp({ ...service, dispatchers: service.dispatchers, now: () => 0, random: () => random });
  const capabilities = {
    renderer: 'radar',
    max_resolution: 1440,
    max_fps: 120,
    game_build: null,
    agent_version: 'test',
  };
  const response = await app(
    new Request(`${BASE_URL}/gateway/v1/claim`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await createHost()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ capabilities, wait_s }),
    }),
    createExecutionContext(),
  );
  expect(response.status).toBe(204);
  return asked[0] ?? Number.NaN;
}

describe('a poll', () => {
  it('is held 20 to 25 seconds, however long its host would wait: hosts do not come back in step', async () => {
    expect([await heldFor(30, 0), await heldFor(30, 0.5), await heldFor(30, 0.999_999)]).toEqual([20, 22.5, 24.999995]);
  });

  it('is held no longer than its host asks for', async () => {
    expect([await heldFor(3, 0.5), await heldFor(0, 0.5)]).toEqual([3, 0]);
  });
});
