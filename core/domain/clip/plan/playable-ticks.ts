import type { PlannableMatch, TickSpan } from './match.ts';

type Extent = Pick<PlannableMatch, 'firstTick' | 'lastTick' | 'gaps'>;

/**
 * Returns the ticks that can be shown. Tick 0 is the state before the recording. The game closes a demo at its last
 * tick.
 */
export function playableTicks(match: Extent): TickSpan {
  return { startTick: Math.max(1, match.firstTick), endTick: match.lastTick };
}

/** Returns the ticks around one that can be shown without a break. A gap of the recording or a pause ends them. */
export function playableAround(match: Extent, tick: number): TickSpan {
  const limits = playableTicks(match);
  // A gap may be within another.
  const before = Math.max(0, ...match.gaps.map(({ endTick }) => endTick).filter((end) => end <= tick));
  const after = match.gaps.find(({ startTick }) => startTick > tick);
  return clampTo({ startTick: before, endTick: after?.startTick ?? limits.endTick }, limits);
}

/** Removes the gaps from a range. Gaps are in the order of their start. */
export function withoutGaps(match: Extent, { startTick, endTick }: TickSpan): TickSpan[] {
  const rest: TickSpan[] = [];
  let from = startTick;
  for (const gap of match.gaps) {
    if (gap.startTick >= endTick) break;
    if (gap.endTick <= from) continue;
    if (gap.startTick > from) rest.push({ startTick: from, endTick: gap.startTick });
    from = gap.endTick;
  }
  if (from < endTick) rest.push({ startTick: from, endTick });
  return rest;
}

export function clampTo(span: TickSpan, limits: TickSpan): TickSpan {
  const { startTick, endTick } = span;
  return { startTick: Math.max(startTick, limits.startTick), endTick: Math.min(endTick, limits.endTick) };
}

/** Returns seconds as a whole number of ticks. */
export function ticksOf(match: Pick<PlannableMatch, 'tickRate'>, seconds: number): number {
  return Math.round(match.tickRate * seconds);
}
