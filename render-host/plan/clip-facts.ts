import { cleanName } from '../../domain/clean-text.ts';
import type { ClipFacts } from '../../domain/clip-title.ts';
import type { Selection } from '../../domain/render-order.ts';
import type { Match } from '../match/match.ts';
import type { Shot } from './shot.ts';

/** Characters; the game itself allows 32, servers with plugins more. */
const NAME_LENGTH_AT_MOST = 48;

/** What a clip of these shots shows. The round is told where one was asked for. */
export function clipFacts(match: Match, shots: readonly Shot[], selection: Selection): ClipFacts {
  return {
    kills: shots.reduce((sum, shot) => sum + shot.kills.length, 0),
    players: [...new Set(shots.map(({ pov }) => pov))].map((pov) => playerName(match, pov)),
    map: match.map,
    round: selection.mode === 'round' ? selection.round : null,
  };
}

function playerName(match: Match, pov: number): string {
  const player = match.players[pov];
  return cleanName(player?.name ?? '', NAME_LENGTH_AT_MOST) || (player?.steamId ?? 'a player');
}
