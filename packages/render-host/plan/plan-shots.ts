import type { ClipFacts } from '#domain/clip/clip-title.ts';
import type { PlannableMatch, PlanResult } from '#domain/clip/plan/match.ts';
import { planSelection } from '#domain/clip/plan/plan-selection.ts';
import type { Selection } from '#domain/clip/render-order.ts';
import { cleanName } from '#domain/lib/text.ts';
import { isEnemyKill } from '#scene/match/match.ts';
import { type Shot, shownKills } from '#scene/plan/shot.ts';
import type { Kill, Match, PlayerIndex } from '../match/match.ts';
import { endsRound } from '../match/round-sign.ts';

/** Plans the shots of a clip of a parsed match. */
export function planShots(match: Match, selection: Selection): PlanResult<Kill> {
  return planSelection(plannableMatch(match), selection);
}

/** Returns what the planner reads of a parsed match. */
export function plannableMatch(match: Match): PlannableMatch<Kill> {
  return { ...match, kills: match.kills.filter(isEnemyKill), endsRound: (kill) => endsRound(match, kill) };
}

/** Characters. The game allows 32, servers with plugins more. */
const NAME_LENGTH_AT_MOST = 48;

/** Returns what a clip of these shots shows. Names the round if the request did. */
export function clipFacts(match: Match, shots: readonly Shot[], selection: Selection): ClipFacts {
  const kills = shownKills(shots);
  const players = [...new Set(shots.map(({ subject }) => subject))];
  const killers = players.filter((player) => kills.some(({ attacker }) => attacker === player));
  const namesOf = (of: readonly PlayerIndex[]) => of.map((player) => playerName(match, player));
  return {
    kills: kills.length,
    players: namesOf(players),
    ...(killers.length === 0 || killers.length === players.length ? {} : { killers: namesOf(killers) }),
    map: match.map,
    round: selection.mode === 'round' ? selection.round : null,
  };
}

function playerName(match: Match, index: PlayerIndex): string {
  const player = match.players[index];
  return cleanName(player?.name ?? '', NAME_LENGTH_AT_MOST) || (player?.steamId ?? 'a player');
}
