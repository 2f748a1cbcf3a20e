import { cleanName } from '#domain/clean-text.ts';
import type { ClipFacts } from '#domain/clip-title.ts';
import type { Selection } from '#domain/render-order.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { shownKills } from '#scene/plan/shown-kills.ts';
import type { Match, PlayerIndex } from '../match/match.ts';

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
