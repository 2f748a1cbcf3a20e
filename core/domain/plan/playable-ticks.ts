import type { PlannableMatch } from './plannable-match.ts';

type Extent = Pick<PlannableMatch, 'firstTick' | 'lastTick' | 'gaps'>;

/** Ticks from `start` up to, not including, `end`. */
export interface TickRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the ticks that can be shown. Tick 0 is the state before the recording. The game closes a demo at its last
 * tick.
 */
export function playableTicks(match: Extent): TickRange {
  return { start: Math.max(1, match.firstTick), end: match.lastTick };
}

/** Returns the ticks around one that can be shown without a break. A gap of the recording or a pause ends them. */
export function playableAround(match: Extent, tick: number): TickRange {
  const limits = playableTicks(match);
  const start = match.gaps.findLast(({ endTick }) => endTick <= tick)?.endTick ?? limits.start;
  const end = match.gaps.find(({ startTick }) => startTick > tick)?.startTick ?? limits.end;
  return clampTo({ start, end }, limits);
}

/** Removes the gaps from a range. Gaps are in the order of their start. */
export function withoutGaps(match: Extent, { start, end }: TickRange): TickRange[] {
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

/** Returns seconds as a whole number of ticks. */
export function ticksOf(match: Pick<PlannableMatch, 'tickRate'>, seconds: number): number {
  return Math.round(match.tickRate * seconds);
}
