import { type Failure, failure } from '#domain/failure/codes.ts';

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

/** Returns the round of a (fractional) tick: the last one that has started; null before the first. */
export function roundAt<Round extends { readonly startTick: number }>(
  { rounds }: { readonly rounds: readonly Round[] },
  tick: number,
): Round | null {
  return rounds.findLast(({ startTick }) => startTick <= tick) ?? null;
}
