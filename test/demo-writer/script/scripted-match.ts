import type { RoundEndReason, Team } from '#demo-format/game.ts';
import type { ScriptedEvent } from './game-events.ts';

/**
 * A made-up match: what a demo is written from, and what a reader of it must find. Ticks are demo ticks, 64 a second.
 * Distances are game units, angles degrees.
 */

export const TICK_RATE = 64;

export type { RoundEndReason, Team } from '#demo-format/game.ts';

export interface ScriptedPlayer {
  /** 64-bit Steam id, decimal. */
  readonly steamId: string;
  readonly name: string;
  /** 0 to 63: names the player in events of the script, and is their first slot. */
  readonly userId: number;
  readonly isBot?: boolean;
  /** The number of their color in the side; default their userId modulo 5. */
  readonly color?: number;
}

export interface ScriptedState {
  readonly team: Team;
  /** The feet. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Counter-clockwise from +x, -180 to 180. */
  readonly yaw: number;
  /** Positive looks down. */
  readonly pitch: number;
  /** 0 to 100; 0 is dead. */
  readonly health: number;
  readonly armor: number;
  readonly ducking: boolean;
  readonly scoped: boolean;
  readonly defusing: boolean;
  /** Seconds of the whole last flash. */
  readonly flashDuration: number;
  /** The game's name of the place, such as `BombsiteA`. */
  readonly place: string;
  readonly score: number;
  /** Dollars. */
  readonly money: number;
  /** Who sees them: a bit for each slot up to 31. */
  readonly spottedBy?: number;
  /** Their slot; default their userId, null if they are not there. */
  readonly slot?: number | null;
  /** They have lost their connection; their controller and body stay for a while. */
  readonly isLost?: boolean;
  /** They coach their side. */
  readonly isCoach?: boolean;
  /** userId of the bot whose body they have taken over. */
  readonly controls?: number;
}

export interface ScriptedRules {
  readonly warmup: boolean;
  readonly paused: boolean;
  readonly freeze: boolean;
  readonly bombPlanted: boolean;
  /** When the freeze time of the last round ends. */
  readonly liveTick: number;
  /** Counted since the start of the recording, warm-up included. */
  readonly roundStarts: number;
  readonly roundEnds: number;
  readonly roundsPlayed: number;
  readonly phase: 'first half' | 'second half' | 'ended';
  /** The number of the overtime; 0 before the first. Each has two halves. */
  readonly overtime: number;
  /** The outcome of the last round that ended; null once the next round starts. */
  readonly outcome: { readonly winner: Team | null; readonly reason: RoundEndReason } | null;
  readonly scores: Readonly<Record<Team, number>>;
}

export type GrenadeKind = 'smoke' | 'flash' | 'explosive' | 'fire';

/** A grenade in the air or, for a smoke, on the ground. */
export interface Projectile {
  readonly entityIndex: number;
  readonly kind: GrenadeKind;
  /** userId of the thrower. */
  readonly thrower: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A fire on the ground, with its flames in order of time. */
export interface Fire extends Place {
  readonly entityIndex: number;
  /** userId of the thrower. */
  readonly thrower: number;
  readonly flames: readonly Place[];
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface PlantedBomb {
  readonly planter: number;
  /** 0 is A, 1 is B. */
  readonly site: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly blowTick: number;
  readonly fuseSeconds: number;
  readonly state: 'ticking' | 'defused' | 'exploded';
}

/** The state at the end of one tick, and its events. Valid until the next frame. */
export interface MatchFrame {
  readonly tick: number;
  /** In the order of `ScriptedMatch.players`. */
  readonly players: readonly ScriptedState[];
  readonly rules: ScriptedRules;
  readonly projectiles: readonly Projectile[];
  readonly fires: readonly Fire[];
  readonly bomb: PlantedBomb | null;
  readonly events: readonly ScriptedEvent[];
}

export interface ScriptedMatch {
  readonly map: string;
  readonly serverName: string;
  /** Ends in `csgo` for Counter-Strike 2. Other Source 2 games have another. */
  readonly gameDirectory: string;
  readonly patchVersion: number;
  readonly buildNumber: number;
  readonly players: readonly ScriptedPlayer[];
  /** Server settings that clients get. */
  readonly conVars?: Readonly<Record<string, string>>;
  /** Yields the frames from tick 1 on. Each call plays the same match from its start. */
  frames(): Iterable<MatchFrame>;
}
