import { planSelection } from '#domain/plan/plan-selection.ts';
import type { PlannableMatch, PlanResult } from '#domain/plan/plannable-match.ts';
import type { Selection } from '#domain/render-order.ts';
import { isEnemyKill } from '#scene/match/kills.ts';
import { endsRound } from '../match/ends-round.ts';
import type { Kill, Match } from '../match/match.ts';

/** Plans the shots of a clip of a parsed match. */
export function planShots(match: Match, selection: Selection): PlanResult<Kill> {
  return planSelection(plannableMatch(match), selection);
}

/** Returns what the planner reads of a parsed match. */
export function plannableMatch(match: Match): PlannableMatch<Kill> {
  return { ...match, kills: match.kills.filter(isEnemyKill), endsRound: (kill) => endsRound(match, kill) };
}
