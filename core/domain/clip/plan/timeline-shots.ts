import { failure } from '#domain/failure/codes.ts';
import { mergeSegments, type TimelineSelection } from '../render-order.ts';
import { findPov, type PlannableMatch, type PlannedShot, type PlanResult, roundAt, type TickSpan } from './match.ts';
import { clampTo, playableTicks, withoutGaps } from './playable-ticks.ts';

/**
 * Plans tick ranges, in the order given (docs/contract.md 2.4, 4.1). Consecutive segments of the same player that
 * overlap or touch become one shot. Others stay as they are, even if they overlap: a cut to another player and back is
 * the client's edit, and must not be undone.
 *
 * A segment is clamped to the demo, and gaps are cut out of it. One that is completely outside fails the job, because
 * leaving it out would deliver another clip than the requested one.
 */
export function planTimelineShots(match: PlannableMatch, { segments }: TimelineSelection): PlanResult {
  const shots: PlannedShot[] = [];
  for (const segment of mergeSegments(segments)) {
    const pov = findPov(match, segment.steam64Id);
    if (typeof pov !== 'number') return pov;
    const limits = playableTicks(match);
    const ranges = withoutGaps(match, clampTo(segment, limits));
    if (ranges.length === 0) {
      const { startTick: start_tick, endTick: end_tick } = segment;
      const { startTick: first_tick, endTick: last_tick } = limits;
      const detail = `ticks ${start_tick} to ${end_tick} are not in the demo, which has ${first_tick} to ${last_tick}`;
      return failure('segment_not_in_demo', detail, { start_tick, end_tick, first_tick, last_tick });
    }
    shots.push(...ranges.map((range) => createShot(match, pov, segment.speed, range)));
  }
  const [first, ...rest] = shots;
  return first === undefined
    ? failure('render_failed', 'the timeline is empty')
    : { ok: true, shots: [first, ...rest] };
}

function createShot(match: PlannableMatch, pov: number, speed: number, { startTick, endTick }: TickSpan): PlannedShot {
  return {
    pov,
    subject: pov,
    startTick,
    endTick,
    round: roundAt(match, startTick)?.number ?? null,
    kills: match.kills.filter(({ attacker, tick }) => attacker === pov && tick >= startTick && tick < endTick),
    speeds: speed === 1 ? [] : [{ tick: startTick, speed }],
  };
}
