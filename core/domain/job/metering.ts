import type { Usage } from './job.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** How long runs are kept: a job is settled within two days, so that no run is recorded a second time after this. */
export const RUN_KEPT_MS = 30 * DAY_MS;

/** The most runs that a job keeps for a repair of the bill. */
const MOST_KEPT = 20;

/** Returns the billed runs of a job that a repair may record again, the latest last. */
export function keptUsage(billed: readonly Usage[] = [], now: number): Usage[] {
  return billed.filter(({ renderedAt }) => renderedAt >= now - RUN_KEPT_MS).slice(-MOST_KEPT);
}

/**
 * Whether the sums of a day may change. `open`: a job may still record its run. `settled`, after two days: only a
 * repair after a loss of the index adds runs. `final`: a repair does not either.
 */
export const DAY_STATES = ['open', 'settled', 'final'] as const;

/** Returns the state of a day (UTC, counted from the epoch). */
export function dayState(day: number, now: number): (typeof DAY_STATES)[number] {
  const passed = now - (day + 1) * DAY_MS;
  if (passed >= RUN_KEPT_MS) return 'final';
  return passed >= 2 * DAY_MS ? 'settled' : 'open';
}

/**
 * Rounds seconds to thousandths. A run counts the length of its clip unrounded; the sum of a day, of one tier,
 * resolution, frame rate and renderer, is rounded; sums over days add rounded ones, so that they equal their lines.
 */
export function billedSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Formats a day counted from the epoch: `2026-01-31`. */
export function isoDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
