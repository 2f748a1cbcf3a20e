import { vi } from 'vitest';

const DAY = 24 * 60 * 60_000;
/**
 * The distance to the real clock, so far ahead that no alarm fires by itself on a slow machine. A file begins at noon.
 */
const AHEAD_MS = 400.5 * DAY - (vi.getRealSystemTime() % DAY);

/**
 * Stops the clock until a test advances it. It is never set back to the real time: an object that still works for an
 * earlier test could set an alarm that fires in a later one. Timers are real: with fake timers each check of a poll
 * would advance the clock.
 */
export function freezeClock(): void {
  vi.useRealTimers();
  vi.setSystemTime(vi.getRealSystemTime() + AHEAD_MS);
}

freezeClock();
