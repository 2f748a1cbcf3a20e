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

/** The ticks around one that can be shown without a break: a jump of the recording, or a pause, ends them. */
export function playableAround(match: Match, tick: number): TickRange {
  const limits = playableTicks(match);
  const start = match.gaps.findLast(({ endTick }) => endTick <= tick)?.endTick ?? limits.start;
  const end = match.gaps.find(({ startTick }) => startTick > tick)?.startTick ?? limits.end;
  return clampTo({ start, end }, limits);
}

/** What is left of a stretch without the ticks in which there is nothing to see. Gaps come by their start. */
export function withoutGaps(match: Match, { start, end }: TickRange): TickRange[] {
  const rest: TickRange[] = [];
  let from = start;
  for (const gap of match.gaps) {
    if (gap.startTick >= end) break;
    if (gap.endTick <= from) continue;
    if (gap.startTick > from) rest.push({ start: from, end: gap.startTick });
    from = gap.endTick;
  }
  if (from < end) rest.push({ start: from, end });
  return rest;
}

export function clampTo(range: TickRange, limits: TickRange): TickRange {
  return { start: Math.max(range.start, limits.start), end: Math.min(range.end, limits.end) };
}

/** Seconds as a whole number of ticks. */
export function ticksOf(match: Match, seconds: number): number {
  return Math.round(match.tickRate * seconds);
}
