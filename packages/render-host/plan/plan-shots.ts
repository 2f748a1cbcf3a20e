import { planSelection } from '#domain/plan/plan-selection.ts';
import type { PlanResult } from '#domain/plan/plannable-match.ts';
import type { Selection } from '#domain/render-order.ts';
import { endsRound } from '../match/ends-round.ts';
import { isEnemyKill } from '../match/kills.ts';
import type { Kill, Match } from '../match/match.ts';

/** Plans the shots of a clip of a parsed match. */
export function planShots(match: Match, selection: Selection): PlanResult<Kill> {
  const kills = match.kills.filter(isEnemyKill);
  return planSelection({ ...match, kills, endsRound: (kill) => endsRound(match, kill) }, selection);
}
