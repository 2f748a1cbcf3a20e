import type { Match } from '../match/match.ts';

/** A stretch of ticks: `start` belongs to it, `end` does not. */
export interface TickRange {
  readonly start: number;
  readonly end: number;
}

/** The ticks that can be shown. Tick 0 is the state before the recording; the game closes a demo at its last tick. */
export function playableTicks(match: Match): TickRange {
  return { start: Math.max(1, match.firstTick), end: match.lastTick };
}

export function clampTo(range: TickRange, limits: TickRange): TickRange {
  return { start: Math.max(range.start, limits.start), end: Math.min(range.end, limits.end) };
}

/** Seconds as a whole number of ticks. */
export function ticksOf(match: Match, seconds: number): number {
  return Math.round(match.tickRate * seconds);
}
