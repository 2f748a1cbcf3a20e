import { failure } from '../../failure/failure.ts';
import type { PlanFailure, PlannableMatch } from './match.ts';

/** The most players that a failure lists. */
const MOST_PLAYERS = 20;

/**
 * Returns the position of the player with a Steam id, or why they cannot be shown: they are not in the demo, or another
 * player recorded it.
 */
export function findPov(match: Pick<PlannableMatch, 'players' | 'recorder'>, steam64Id: string): number | PlanFailure {
  const player = match.players.findIndex(({ steamId }) => steamId === steam64Id);
  if (player < 0) {
    return failure('player_not_in_demo', `no player ${steam64Id} in this demo`, {
      player_asked: steam64Id,
      players: match.players.map(({ steamId }) => steamId).slice(0, MOST_PLAYERS),
    });
  }
  if (match.recorder === null || match.recorder === player) return player;
  const recorder = match.players[match.recorder]?.steamId;
  return failure(
    'pov_only',
    `the demo was recorded by player ${recorder} and shows nobody else's view, not that of ${steam64Id}`,
    { player_asked: steam64Id, recorded_by: recorder ?? null },
  );
}
