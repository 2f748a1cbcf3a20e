import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Notice, Watchers } from '../../durable-objects/render-job/watchers.ts';

const NOTICE = { id: '4', data: { status: 'render', progress: 0.5, attempt: 1, error_code: null } } as const;
const LAST = { id: '5', data: { ...NOTICE.data, status: 'done', progress: null } } as const;
const watchersOf = (now: () => Promise<Notice> = async () => NOTICE) => new Watchers(now);
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
  it('gets a comment every 15 seconds while nothing happens, and the outcome ends its stream', async () => {
    const watchers = watchersOf();
    const reader = watchers.add(NOTICE, false).getReader();
    expect(decode((await reader.read()).value)).toBe(`retry: 2000\nid: 4\ndata: ${JSON.stringify(NOTICE.data)}\n\n`);
    for (let comments = 0; comments < 40; comments++) {
      await settle();
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(decode((await next).value)).toBe(':\n\n');
    }
    await settle();
    watchers.tell(() => LAST, true);
    expect(decode((await reader.read()).value)).toBe(`id: 5\ndata: ${JSON.stringify(LAST.data)}\n\n`);
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that takes nothing for ten minutes is dropped, and then nothing keeps the object awake', async () => {
    const watchers = watchersOf();
    const silent = watchers.add(NOTICE, false);
    await vi.advanceTimersByTimeAsync(10 * MINUTE - 1);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(vi.getTimerCount()).toBe(0);
    await expect(silent.getReader().read()).rejects.toThrow('ten minutes');
  });

  it('that wants the place in the queue is told of it anew while the job waits, and gets a comment after that', async () => {
    const places = [{ position: 2, estimate_s: 9 }, null];
    const waiting = { ...NOTICE.data, status: 'pending', progress: null } as const;
    const watchers = watchersOf(async () => {
      const queue = places.shift() ?? null;
      return { id: '1', data: queue ? { ...waiting, queue } : { ...NOTICE.data, queue } };
    });
    const reader = watchers.add({ id: '1', data: waiting }, false, ['queue']).getReader();
    await reader.read();
    for (const expected of ['"position":2', ':\n\n']) {
      await settle();
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(decode((await next).value)).toContain(expected);
    }
  });

  it('that hung up is dropped with the next comment', async () => {
    const watchers = watchersOf();
    const reader = watchers.add(NOTICE, false).getReader();
    await reader.read();
    await settle();
    await reader.cancel();
    await vi.advanceTimersByTimeAsync(15_000);
    await settle();
    expect(vi.getTimerCount()).toBe(0);
  });
});
