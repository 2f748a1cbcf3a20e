import type { Selection } from '#domain/render-order.ts';
import type { Match } from '../match/match.ts';
import { planKillShots } from './kill-shots.ts';
import type { PlanResult } from './plan-result.ts';
import { planTimelineShots } from './timeline-shots.ts';

/**
 * Decides which parts of a match a clip shows, in the order of the clip (docs/contract.md 4.1). Pure.
 *
 * Fails with `player_not_in_demo`; with `pov_only` for another player than the one who recorded the demo; with
 * `no_kills_found` (round mode); with `segment_not_in_demo` for a timeline segment that is completely outside the demo.
 */
export function planShots(match: Match, selection: Selection): PlanResult {
  switch (selection.mode) {
    case 'round':
      return planKillShots(match, selection);
    case 'timeline':
      return planTimelineShots(match, selection);
  }
}
