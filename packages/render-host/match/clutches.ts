import { isEnemyKill } from './kills.ts';
import { type Kill, type Match, type PlayerIndex, type Round, type Team, TRACK_ALIVE } from './match.ts';
import { sideAt } from './sides.ts';

/** A player who was the last of their side, against so many opponents, and whose side won the round. */
export interface Clutch {
  readonly player: PlayerIndex;
  /** When they were left alone. */
  readonly tick: number;
  readonly against: number;
  /** Their kills from then on. */
  readonly kills: readonly Kill[];
}

/** Returns the clutch of a round; null if there was none, or the winner is unknown. */
export function clutchOf(match: Match, round: Round): Clutch | null {
  const { winner, endTick } = round;
  if (winner === null || endTick === null) return null;
  const alive = { T: new Set<PlayerIndex>(), CT: new Set<PlayerIndex>() };
  const start = round.freezeEndTick ?? round.startTick;
  for (const player of match.players.keys()) {
    const side = sideAt(match.tracks, player, start);
    if (side !== null && isAlive(match, player, start)) alive[side].add(player);
  }
  const loser: Team = winner === 'T' ? 'CT' : 'T';
  const kills = match.kills.filter((kill) => kill.round === round.number && kill.tick <= endTick);
  // A player who started alone was not left alone.
  if (alive[winner].size < 2) return null;
  for (const { tick, victim } of kills) {
    alive.T.delete(victim);
    alive.CT.delete(victim);
    const [last] = alive[winner];
    if (alive[winner].size !== 1 || last === undefined || alive[loser].size === 0) continue;
    const own = kills.filter((kill) => kill.attacker === last && kill.tick >= tick && isEnemyKill(kill));
    return { player: last, tick, against: alive[loser].size, kills: own };
  }
  return null;
}

function isAlive({ tracks }: Match, player: PlayerIndex, tick: number): boolean {
  const at = Math.min(Math.max(tick - tracks.firstTick, 0), tracks.length - 1);
  return ((tracks.flags[player * tracks.length + at] ?? 0) & TRACK_ALIVE) !== 0;
}
