import type { Kill, PlayerIndex } from '../match/match.ts';

/**
 * One continuous take from one player's point of view. Covers ticks from `startTick` up to, not including, `endTick`.
 */
export interface Shot {
  readonly pov: PlayerIndex;
  readonly startTick: number;
  readonly endTick: number;
  /** The round in which the shot begins; null if there is none. The shot may continue into later rounds. */
  readonly round: number | null;
  /** The point-of-view player's kills in the shot, in tick order. */
  readonly kills: readonly Kill[];
}
