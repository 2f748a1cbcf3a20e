import { sideAt } from '#scene/match/sides.ts';
import { type Kill, type Match, type PlayerIndex, type Round, type Team, TRACK_ALIVE } from './match.ts';

/** A player who was the last of their side, against so many opponents, and whose side won the round. */
export interface Clutch {
  readonly player: PlayerIndex;
  /** When they were left alone. */
  readonly tick: number;
  readonly against: number;
}

/** The players who are alive when the freeze time of a round ends, by side. */
export type Lineup = Readonly<Record<Team, ReadonlySet<PlayerIndex>>>;

export function lineupOf(match: Match, round: Round): Lineup {
  const lineup = { T: new Set<PlayerIndex>(), CT: new Set<PlayerIndex>() };
  const start = liveTick(round);
  for (const player of match.players.keys()) {
    const side = sideAt(match.tracks, player, start);
    if (side !== null && isAlive(match, player, start)) lineup[side].add(player);
  }
  return lineup;
}

/**
 * Returns the clutch of a round; null if there was none, or the winner is unknown. Whoever dies or leaves is no longer
 * alive. `kills` are all deaths of the round.
 */
export function clutchOf(match: Match, round: Round, lineup: Lineup, kills: readonly Kill[]): Clutch | null {
  const { winner, endTick } = round;
  if (winner === null || endTick === null) return null;
  const loser: Team = winner === 'T' ? 'CT' : 'T';
  const own = new Set(lineup[winner]);
  const enemies = new Set(lineup[loser]);
  // A player who started alone was not left alone.
  if (own.size < 2) return null;
  const exits = [...own, ...enemies]
    .map((player) => ({ player, tick: exitOf(match, round, player, kills) }))
    .filter(({ tick }) => tick <= endTick)
    .sort((a, b) => a.tick - b.tick);
  for (const [at, { player, tick }] of exits.entries()) {
    own.delete(player);
    enemies.delete(player);
    // Those who die in the same tick die together.
    if (exits[at + 1]?.tick === tick) continue;
    const [last] = own;
    if (own.size === 1 && last !== undefined) {
      return enemies.size === 0 ? null : { player: last, tick, against: enemies.size };
    }
  }
  return null;
}

/** Returns the tick from which a player is dead or gone; Infinity if they survive the round. */
function exitOf({ tracks }: Match, round: Round, player: PlayerIndex, kills: readonly Kill[]): number {
  const death = kills.find(({ victim }) => victim === player)?.tick ?? Infinity;
  const row = player * tracks.length;
  const until = Math.min(death, round.endTick ?? Infinity, tracks.firstTick + tracks.length - 1);
  for (let tick = liveTick(round); tick < until; tick++) {
    if (((tracks.flags[row + tick - tracks.firstTick] ?? 0) & TRACK_ALIVE) === 0) return tick;
  }
  return death;
}

function liveTick({ freezeEndTick, startTick }: Round): number {
  return freezeEndTick ?? startTick;
}

export function isAlive({ tracks }: Match, player: PlayerIndex, tick: number): boolean {
  const at = Math.min(Math.max(tick - tracks.firstTick, 0), tracks.length - 1);
  return ((tracks.flags[player * tracks.length + at] ?? 0) & TRACK_ALIVE) !== 0;
}
