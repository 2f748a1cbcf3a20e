import type { RoundEndReason, Team } from '#demo-format/game.ts';
import type { TickSpan } from '#domain/clip/plan/match.ts';

/** Index into `SceneMatch.players`. */
export type PlayerIndex = number;

/** In game units. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export type { RoundEndReason, Team } from '#demo-format/game.ts';

/** A player's crosshair as the game draws it while they stand still, in pixels of a picture 1080 high. */
export interface Crosshair {
  /** `#rrggbb` */
  readonly color: string;
  /** 0 to 1. */
  readonly alpha: number;
  readonly length: number;
  readonly thickness: number;
  /** From the middle to the start of a line. Negative if the lines cross it. */
  readonly gap: number;
  /** The width of the black outline; 0 without one. */
  readonly outline: number;
  readonly dot: boolean;
  /** Whether the upper line is left out. */
  readonly isT: boolean;
}

export interface ScenePlayer {
  readonly name: string;
  readonly isBot: boolean;
  /** Their last crosshair; left out if the recording has none. */
  readonly crosshair?: Crosshair;
}

/** A round from its start to the moment the next one may begin. Fields that the demo lacks are null. */
export interface Round {
  /**
   * The number on the scoreboard: rounds played before, and one. Warm-up has none. A demo may start in the middle of a
   * match.
   */
  readonly number: number;
  readonly startTick: number;
  readonly freezeEndTick: number | null;
  /** When the round is decided. */
  readonly endTick: number | null;
  /** When the announcement of the win ends, and the next round may start. */
  readonly officialEndTick: number | null;
  readonly winner: Team | null;
  readonly reason: RoundEndReason | null;
  /** The scoreboard after the round, by the side that each team plays then. */
  readonly score: Readonly<Record<Team, number>> | null;
}

/** The clock of a round, from `tick` on. A rescued hostage, for example, adds time. */
export interface RoundClock {
  readonly tick: number;
  /** When the freeze time ends and the clock starts; null if unknown. */
  readonly startTick: number | null;
  readonly seconds: number;
}

export interface Kill {
  readonly tick: number;
  /** Null if the world killed the victim. */
  readonly attacker: PlayerIndex | null;
  readonly victim: PlayerIndex;
  readonly assister: PlayerIndex | null;
  readonly attackerTeam: Team | null;
  readonly victimTeam: Team | null;
  /** The game's weapon name without its `weapon_` prefix, such as `ak47`. */
  readonly weapon: string;
  readonly headshot: boolean;
  /** The bullet went through at least one wall. */
  readonly wallbang: boolean;
  readonly noScope: boolean;
  readonly throughSmoke: boolean;
  readonly attackerBlind: boolean;
  /** The assister only flashed the victim. */
  readonly flashAssist?: true;
  readonly attackerInAir?: true;
  /** The attacker dominates the victim with this kill, or did before. */
  readonly domination?: true;
  /** The kill ends the victim's domination of the attacker. */
  readonly revenge?: true;
  /** Set if team mates are enemies (`mp_teammates_are_enemies`). */
  readonly freeForAll?: true;
  /** The number of the kill's round; null during warm-up and in rounds that were replayed. */
  readonly round: number | null;
}

export interface Hurt {
  readonly tick: number;
  readonly attacker: PlayerIndex | null;
  readonly victim: PlayerIndex;
  /** Health points taken, 0 to 100. */
  readonly damage: number;
  readonly armorDamage: number;
  readonly healthLeft: number;
  readonly weapon: string;
  readonly hitgroup: number;
}

export interface WeaponFire {
  readonly tick: number;
  readonly player: PlayerIndex;
  readonly weapon: string;
}

/** A player who is blinded by a flash. */
export interface Blinding {
  readonly tick: number;
  readonly player: PlayerIndex;
  readonly by: PlayerIndex | null;
  /** How long they see little or nothing. */
  readonly seconds: number;
}

/** A player whom another one sees, by the game's radar: neither a wall nor smoke is in between. */
export interface Sight extends TickSpan {
  readonly player: PlayerIndex;
  readonly by: PlayerIndex;
}

/** What a player does with the bomb, by the game's events. */
export interface BombAction {
  readonly tick: number;
  readonly kind:
    | 'plant_begun'
    | 'plant_given_up'
    | 'planted'
    | 'defuse_begun'
    | 'defuse_given_up'
    | 'defused'
    | 'exploded'
    | 'dropped'
    | 'picked_up';
  readonly player: PlayerIndex | null;
  /** A defuse with a kit takes half the time. */
  readonly hasKit?: true;
}

/** What a player carries and wears. */
export interface Outfit {
  /** The game's name of their place, such as `BombsiteA`; empty if it has none. */
  readonly place: string;
  /** 0 to 100. */
  readonly armor: number;
  readonly helmet: boolean;
  readonly kit: boolean;
  /** Dollars; null if the recording lacks them, or the game has no money. */
  readonly money: number | null;
  /** The weapon in hand. */
  readonly weapon: string | null;
  /** Rounds in the weapon; left out for a knife, and if the recording lacks them. */
  readonly clip?: number;
  /** Rounds in reserve, or magazines since patch 14160. */
  readonly reserve?: number;
  /** All that they carry. */
  readonly items: readonly string[];
}

/** A change of a player's outfit. */
export interface OutfitChange extends Outfit {
  readonly tick: number;
  readonly player: PlayerIndex;
}

/** The path of a grenade. */
export interface GrenadeFlight {
  readonly kind: 'smokegrenade' | 'flashbang' | 'hegrenade' | 'molotov' | 'decoy';
  readonly player: PlayerIndex | null;
  /** In tick order. */
  readonly path: readonly (Position & { readonly tick: number })[];
}

/** The bomb's carrier from a tick on, or its position on the ground; neither once it is planted. */
export interface BombPlace {
  readonly tick: number;
  readonly carrier: PlayerIndex | null;
  readonly ground: Position | null;
}

/** A flame of a fire. */
export interface Flame extends TickSpan {
  readonly x: number;
  readonly y: number;
}

/** The cloud or blast of a grenade, or the bomb, on the map. */
export interface MapEffect extends Position, TickSpan {
  readonly kind: 'smoke' | 'flash' | 'explosion' | 'fire' | 'decoy' | 'bomb';
  /** How long the bomb ticks; left out for the game's default. */
  readonly fuseSeconds?: number;
  /** Who defused the bomb, if anybody did. */
  readonly defusedBy?: PlayerIndex;
  /** The flames of a fire, if the recording has them. A fire spreads and goes out flame by flame. */
  readonly flames?: readonly Flame[];
}

/** Bits of `SceneTracks.flags`. */
export const TRACK_PRESENT = 1;
export const TRACK_ALIVE = 2;
export const TRACK_TEAM_T = 4;
export const TRACK_TEAM_CT = 8;
export const TRACK_DUCKING = 16;

/**
 * The position of each player at each tick. Sample `i` of player `p` is at `p * length + i`, for tick `firstTick + i`.
 * Positions are of the feet. A sample without TRACK_PRESENT is all zeros.
 */
export interface SceneTracks {
  readonly firstTick: number;
  readonly length: number;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  /** Degrees counter-clockwise from +x, -180 to 180. */
  readonly yaw: Float32Array;
  /** Health points, 0 to 100. */
  readonly health: Uint8Array;
  readonly flags: Uint8Array;
}

/** The floor of a map as the game's own navigation mesh has it, which `maps import` writes. */
export interface MapOutline {
  /** Such as `de_nuke`, without the folder of a workshop map. */
  readonly map: string;
  /** What it was made of, as `nav 35`. */
  readonly source: string;
  /** Heights between two levels, ascending. */
  readonly splits: readonly number[];
  /** Convex polygons in which the middle of a player can be: x, y and z of each corner, in game units. */
  readonly areas: readonly (readonly number[])[];
}
/** A named place of the map, at the middle of where players walk in it. */
export interface Callout extends Position {
  readonly name: string;
}

/**
 * What the scene reads of a recorded match, independent of the demo format. Ticks are demo ticks, `tickRate` a second.
 * Distances are game units (1 unit ≈ 1 inch), angles degrees.
 */
export interface SceneMatch {
  /** Such as `de_nuke`. */
  readonly map: string;
  readonly tickRate: number;
  readonly firstTick: number;
  readonly players: readonly ScenePlayer[];
  /**
   * The cells of the floor where players walked in the whole recording (`walkedCells`), if the tracks are a part of it.
   */
  readonly walked?: Uint32Array;
  /** The places that the whole recording names, if the tracks are a part of it. */
  readonly callouts?: readonly Callout[];
  /** The floor of the map, where the host has one. No part of the recording. */
  readonly outline?: MapOutline;
  /** In the order of their numbers. */
  readonly rounds: readonly Round[];
  /** In tick order; empty if the recording lacks them. */
  readonly clocks: readonly RoundClock[];
  /**
   * In tick order, like the lists below. Includes suicides, team kills and warm-up kills, which the planner leaves out.
   */
  readonly kills: readonly Kill[];
  readonly hurts: readonly Hurt[];
  readonly weaponFires: readonly WeaponFire[];
  readonly blindings: readonly Blinding[];
  /** By their start; empty if the recording lacks them. */
  readonly sights: readonly Sight[];
  readonly bombActions: readonly BombAction[];
  /** Empty if the recording lacks them. */
  readonly outfits: readonly OutfitChange[];
  readonly flights: readonly GrenadeFlight[];
  readonly bombPlaces: readonly BombPlace[];
  readonly effects: readonly MapEffect[];
  readonly tracks: SceneTracks;
}

/** Returns the side of a player at a tick, dead or alive; null while they are not in the match. */
export function sideAt({ flags, firstTick, length }: SceneTracks, player: PlayerIndex, tick: number): Team | null {
  const bits = flags[player * length + Math.min(Math.max(tick - firstTick, 0), length - 1)] ?? 0;
  if ((bits & TRACK_PRESENT) === 0) return null;
  return (bits & TRACK_TEAM_T) !== 0 ? 'T' : (bits & TRACK_TEAM_CT) !== 0 ? 'CT' : null;
}

/** Length of the bomb's fuse in seconds, unless the server has set another. */
export const BOMB_FUSE_SECONDS = 40;

/** Returns the length of a bomb's fuse in seconds. */
export function fuseOf({ fuseSeconds = BOMB_FUSE_SECONDS }: Pick<MapEffect, 'fuseSeconds'>): number {
  return fuseSeconds;
}

/** Whether a player killed an enemy: not themselves, not a team mate where teams count, and not the world. */
export function isEnemyKill(kill: Kill): boolean {
  if (kill.attacker === null || kill.attacker === kill.victim) return false;
  return kill.freeForAll === true || kill.attackerTeam === null || kill.attackerTeam !== kill.victimTeam;
}
