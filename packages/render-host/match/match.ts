import type { OtherPart, TickSpan } from '#domain/clip/plan/match.ts';
import type { PlayerIndex, SceneMatch, ScenePlayer, SceneTracks } from '#scene/match/match.ts';

export * from '#scene/match/match.ts';

export interface Player extends ScenePlayer {
  /** 64-bit Steam id as a decimal string, because it does not fit a JSON number. */
  readonly steamId: string;
  /** The id by which game events name the player. */
  readonly userId: number;
  /** The player's positions in the `userinfo` table, in tick order. A camera follows a slot. */
  readonly seats: readonly { readonly sinceTick: number; readonly slot: number }[];
}

/**
 * The evidence of rounds: the game's events, its rules, the scores of the teams, or players who all spawn at once.
 * Without any, rounds are counted.
 */
export type RoundSource = 'events' | 'rules' | 'scores' | 'spawns' | 'count';

/** Why a recording is read only up to a tick. */
export interface Damage {
  /** The last tick before the damage. */
  readonly tick: number;
  readonly reason: string;
}

export interface Reload {
  readonly tick: number;
  readonly player: PlayerIndex;
}

export interface Tracks extends SceneTracks {
  /** Degrees, positive looks down. */
  readonly pitch: Float32Array;
}

/** A recorded match for the planner and the renderers, independent of the demo format. */
export interface Match extends SceneMatch {
  /** The game's patch version that recorded the demo, such as 14160 for 1.41.6.0; null if the header has none. */
  readonly gamePatch: number | null;
  readonly build: number | null;
  readonly lastTick: number;
  readonly players: readonly Player[];
  /** Whether the recording has its end mark. Otherwise it ends with its last complete tick. */
  readonly complete: boolean;
  /** Left out for a recording without damage. */
  readonly damage?: Damage;
  /** The only player who can be shown, in a recording that they made; null if all can. */
  readonly recorder: PlayerIndex | null;
  /** Whether the first tick has a chicken, such as a player's pet. It may crash the game. */
  readonly startsWithChicken?: true;
  /** Ticks without a recording, or while the game was paused. */
  readonly gaps: readonly TickSpan[];
  /** Everybody is an enemy of everybody (`mp_teammates_are_enemies`). */
  readonly freeForAll?: true;
  /** The most rounds of the match and of each overtime (0: none); left out if the recording does not say. */
  readonly matchRounds?: { readonly regular: number; readonly overtime: number };
  /** How many kills after these were not kept; left out if all are here. */
  readonly killsLeftOut?: number;
  /** In tick order; none if the match is all that was played. */
  readonly otherParts: readonly OtherPart[];
  /** The sources of the rounds' starts, ends and numbers. */
  readonly roundEvidence: Readonly<Record<'starts' | 'ends' | 'numbers', readonly RoundSource[]>>;
  readonly reloads: readonly Reload[];
  readonly tracks: Tracks;
}
