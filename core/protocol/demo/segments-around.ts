import type { PlannableMatch, TickSpan } from '#domain/clip/plan/match.ts';
import { clampTo, ticksOf } from '#domain/clip/plan/playable-ticks.ts';
import type { SubmitRequest } from '../clip/submit.ts';

type Segment = NonNullable<SubmitRequest['timeline']>[number];

/**
 * Seconds before and after a moment. Two segments with less than `between` between them are one: `tickreel demos best`
 * sends the same as `merge_gap`.
 */
const SECONDS = { before: 3, after: 2, between: 5 };

/** Returns the segments of a timeline that show moments of one player, which are in the order of their ticks. */
export function segmentsAround(
  match: Pick<PlannableMatch, 'tickRate' | 'firstTick' | 'lastTick'>,
  steam64_id: string,
  moments: readonly TickSpan[],
): Segment[] {
  const limits = { startTick: Math.max(match.firstTick, 0), endTick: match.lastTick };
  const segments: Segment[] = [];
  for (const { startTick, endTick } of moments) {
    const span = clampTo(
      { startTick: startTick - ticksOf(match, SECONDS.before), endTick: endTick + ticksOf(match, SECONDS.after) },
      limits,
    );
    const previous = segments.at(-1);
    if (previous && span.startTick < previous.end_tick + ticksOf(match, SECONDS.between))
      previous.end_tick = span.endTick;
    else segments.push({ steam64_id, start_tick: span.startTick, end_tick: span.endTick });
  }
  return segments;
}
