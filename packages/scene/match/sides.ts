import { type PlayerIndex, type SceneTracks, type Team, TRACK_PRESENT, TRACK_TEAM_CT, TRACK_TEAM_T } from './match.ts';

/** Returns the side of a player at a tick, dead or alive; null while they are not in the match. */
export function sideAt({ flags, firstTick, length }: SceneTracks, player: PlayerIndex, tick: number): Team | null {
  const bits = flags[player * length + Math.min(Math.max(tick - firstTick, 0), length - 1)] ?? 0;
  if ((bits & TRACK_PRESENT) === 0) return null;
  return (bits & TRACK_TEAM_T) !== 0 ? 'T' : (bits & TRACK_TEAM_CT) !== 0 ? 'CT' : null;
}
