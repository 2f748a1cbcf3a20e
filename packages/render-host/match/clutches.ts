import { isEnemyKill } from './kills.ts';
import { type Kill, type Match, type PlayerIndex, type Round, type Team, TRACK_ALIVE } from './match.ts';
import { sideAt } from './sides.ts';

/** A player who was the last of his side, against so many, and whose side won the round. */
export interface Clutch {
  readonly player: PlayerIndex;
  /** When he was left alone. */
  readonly tick: number;
  readonly against: number;
  /** What he did about it. */
  readonly kills: readonly Kill[];
}

/** The clutch of a round; null where there was none, or nobody is known to have won. */
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
  // Who started alone was not left alone.
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
