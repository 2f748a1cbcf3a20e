import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createService } from '../../service/service.ts';
import { createApp } from '../../src/worker.ts';
import { BASE_URL, bindings } from '../support/service.ts';

async function linesOf(requests: number, LOG_SAMPLE: string): Promise<unknown[]> {
  const lines: unknown[] = [];
  let drawn = 0;
  const service = createService({ ...bindings, LOG_SAMPLE } as typeof bindings);
  const app = createApp({
    ...service,
    // Evenly spread.
    random: () => (drawn++ % 100) / 100,
    log: (message, fields, level) => lines.push({ message, level, ...fields }),
  });
  for (let i = 0; i < requests; i++) {
    await app(new Request(`${BASE_URL}/robots.txt?key=secret`), createExecutionContext());
  }
  return lines;
}

describe('requests', () => {
  it('have a line each for one in a hundred, without what may be secret', async () => {
    const lines = await linesOf(200, '0.01');
    expect(lines).toMatchObject([
      { message: 'request answered', level: 'info', method: 'GET', path: '/robots.txt', status: 200 },
      {},
    ]);
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('have none where none is wanted', async () => {
    expect(await linesOf(200, '0')).toEqual([]);
  });
});
