import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Watchers } from '../../durable-objects/render-job/watchers.ts';

const NOTICE = { status: 'render', progress: 0.5, attempt: 1, error_code: null } as const;
const LAST = { ...NOTICE, status: 'done', progress: null } as const;
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const decode = (value?: Uint8Array) => new TextDecoder().decode(value);

/** Lets what was taken be noted. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns++) await Promise.resolve();
}

describe('a watcher', () => {
  it('gets a comment every 20 seconds while nothing happens, and the outcome ends its stream', async () => {
    const watchers = new Watchers();
    const reader = watchers.add(NOTICE, false).getReader();
    expect(decode((await reader.read()).value)).toBe(`data: ${JSON.stringify(NOTICE)}\n\n`);
    for (let comments = 0; comments < 40; comments++) {
      await settle();
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(20_000);
      expect(decode((await next).value)).toBe(':\n\n');
    }
    await settle();
    watchers.tell(LAST, true);
    expect(decode((await reader.read()).value)).toContain('"done"');
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that takes nothing for ten minutes is dropped, and then nothing keeps the object awake', async () => {
    const watchers = new Watchers();
    const silent = watchers.add(NOTICE, false);
    await vi.advanceTimersByTimeAsync(10 * MINUTE - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    await expect(silent.getReader().read()).rejects.toThrow('ten minutes');
  });

  it('that hung up is dropped with the next comment', async () => {
    const watchers = new Watchers();
    const reader = watchers.add(NOTICE, false).getReader();
    await reader.read();
    await settle();
    await reader.cancel();
    await vi.advanceTimersByTimeAsync(20_000);
    await settle();
    expect(vi.getTimerCount()).toBe(0);
  });
});
