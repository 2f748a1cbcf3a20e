import { vi } from 'vitest';

const DAY = 24 * 60 * 60_000;
/** So far ahead of the real clock, no alarm rings by itself, however slow the machine is; a file begins at noon. */
const AHEAD_MS = 400.5 * DAY - (vi.getRealSystemTime() % DAY);

/**
 * The clock stands still until it is moved. It is never the real one again: a job's object that still works on what an
 * earlier test told it would set an alarm that rings in a later one. Timers are real: beside faked ones each look of a
 * poll would move the clock.
 */
export function freezeClock(): void {
  vi.useRealTimers();
  vi.setSystemTime(vi.getRealSystemTime() + AHEAD_MS);
}

freezeClock();
