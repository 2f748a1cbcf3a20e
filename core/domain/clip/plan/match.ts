import type { Failure } from '../../failure/failure.ts';

/** Ticks from `startTick` up to, not including, `endTick`. */
export interface TickSpan {
  readonly startTick: number;
  readonly endTick: number;
}

/** A kill of an enemy. */
export interface PlannableKill {
  readonly tick: number;
  /** A position in `PlannableMatch.players`. */
  readonly attacker: number | null;
  /** A position in `PlannableMatch.players`. */
  readonly victim: number;
  /** Null during warm-up and in rounds that were replayed. */
  readonly round: number | null;
}

/**
 * Rounds that do not count as the match: a reset of the scoreboard, such as a restart, separates them from it. A
 * timeline can show them.
 */
export interface OtherPart extends TickSpan {
  /** How many were decided. */
  readonly rounds: number;
  /** Positions in the list of players. */
  readonly players: readonly number[];
}

/** What the planner reads of a match. A parsed demo and a stored inspection both have it. */
export interface PlannableMatch<Kill extends PlannableKill = PlannableKill> {
  /** Ticks a second. */
  readonly tickRate: number;
  readonly firstTick: number;
  readonly lastTick: number;
  readonly players: readonly { readonly steamId: string; readonly name?: string }[];
  /** The only player who can be shown, in a recording that they made; null if all can. */
  readonly recorder: number | null;
  /** Ticks without a recording, or while the game was paused, in the order of their start. */
  readonly gaps: readonly TickSpan[];
  /** In the order of their numbers. */
  readonly rounds: readonly {
    readonly number: number;
    readonly startTick: number;
    readonly endTick: number | null;
    readonly officialEndTick: number | null;
  }[];
  /** In tick order; none if the match is all that was played. */
  readonly otherParts: readonly OtherPart[];
  /** In tick order. */
  readonly kills: readonly Kill[];
  /** Whether a kill decided its round for the side of the killer. */
  endsRound(kill: Kill): boolean;
}

/**
 * The speed of the game at a tick; 1 is real time. Speed is linear between two changes, and constant before the first
 * and after the last.
 */
export interface SpeedChange {
  readonly tick: number;
  readonly speed: number;
}

/**
 * One continuous take from one player's point of view. Covers ticks from `startTick` up to, not including, `endTick`.
 */
export interface PlannedShot<Kill extends PlannableKill = PlannableKill> extends TickSpan {
  /** The player who is followed: a position in `PlannableMatch.players`. */
  readonly pov: number;
  /** The player whose kills count: the killer in a victim's view, else the same as `pov`. */
  readonly subject: number;
  /** The round in which the shot begins; null if there is none. The shot may continue into later rounds. */
  readonly round: number | null;
  /** The subject's kills in the shot, in tick order. */
  readonly kills: readonly Kill[];
  /** In tick order. Some may be outside of the shot. Empty: real time. */
  readonly speeds: readonly SpeedChange[];
}

export type PlanFailure = Failure<
  'player_not_in_demo' | 'pov_only' | 'no_kills_found' | 'segment_not_in_demo' | 'render_failed'
>;

export type PlanResult<Kill extends PlannableKill = PlannableKill> =
  | { readonly ok: true; readonly shots: readonly [PlannedShot<Kill>, ...PlannedShot<Kill>[]] }
  | PlanFailure;
