import { afterEach, vi } from 'vitest';

const DAY = 24 * 60 * 60_000;
/** In a runtime that several files share, a module may have been loaded by an earlier file. */
const shared = globalThis as { aheadMs?: number; latest?: number };

/**
 * Stops the clock until a test advances it. It is never set back to the real time: an object that still works for an
 * earlier test could set an alarm that fires in a later one. Timers are real: with fake timers each check of a poll
 * would advance the clock.
 */
export function freezeClock(): void {
  vi.useRealTimers();
  vi.setSystemTime(vi.getRealSystemTime() + (shared.aheadMs ?? 0));
}

/**
 * A file begins at a noon so far ahead that no alarm fires by itself on a slow machine, and after all that tests of
 * earlier files have seen, because what they left in memory has their times.
 */
const earliest = Math.max(vi.getRealSystemTime() + 400 * DAY, shared.latest ?? 0);
shared.aheadMs = (Math.ceil(earliest / DAY) + 0.5) * DAY - vi.getRealSystemTime();
freezeClock();

afterEach(() => {
  shared.latest = Math.max(shared.latest ?? 0, Date.now());
});
