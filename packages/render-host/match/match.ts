import type { RoundEndReason, Team } from '#demo-writer/facts/game.ts';

/**
 * A recorded match as the render host sees it: everything the planner and the renderers need, and nothing of the demo
 * format. Ticks are demo ticks, `tickRate` a second. Distances are game units (1 unit ≈ 1 inch), angles degrees.
 */

/** Index into `Match.players`. */
export type PlayerIndex = number;

export type { RoundEndReason, Team } from '#demo-writer/facts/game.ts';

export interface Player {
  /** 64-bit Steam id as a decimal string: it does not fit a JSON number. */
  readonly steamId: string;
  readonly name: string;
  /** The id game events name the player by. */
  readonly userId: number;
  readonly isBot: boolean;
  /**
   * Where the player sat since when, in tick order: his position in the `userinfo` table, by which a camera is told
   * whom to follow.
   */
  readonly seats: readonly { readonly sinceTick: number; readonly slot: number }[];
}

/** Ticks from `startTick` up to, not including, `endTick`. */
export interface TickSpan {
  readonly startTick: number;
  readonly endTick: number;
}

/**
 * What can tell of rounds: the game's own events, the state of its rules, the scores of the teams, and players who all
 * spawn at once. Where nothing does, rounds are counted.
 */
export type RoundSource = 'events' | 'rules' | 'scores' | 'spawns' | 'count';

/** A round from its start to the moment the next one may begin. A field is null where the demo does not say. */
export interface Round {
  /** As on the scoreboard: rounds played before it, and one. Warm-up is no round; a demo may start amid a match. */
  readonly number: number;
  readonly startTick: number;
  readonly freezeEndTick: number | null;
  /** The round is decided. */
  readonly endTick: number | null;
  /** The win announcement is over, and the next round may start. */
  readonly officialEndTick: number | null;
  readonly winner: Team | null;
  readonly reason: RoundEndReason | null;
  /** The scoreboard once the round is decided, by the side that each team plays then. */
  readonly score: Readonly<Record<Team, number>> | null;
}

export interface Kill {
  readonly tick: number;
  /** null when the world killed the victim. */
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
  /** The assister's flash was all his assistance. */
  readonly flashAssist?: true;
  readonly attackerInAir?: true;
  /** The attacker dominates the victim with this kill, or has dominated him before. */
  readonly domination?: true;
  /** The kill ends the victim's domination of the attacker. */
  readonly revenge?: true;
  /** Set where mates were enemies (`mp_teammates_are_enemies`). */
  readonly freeForAll?: true;
  /** Number of the round the kill belongs to; null during warm-up and in rounds that were played anew. */
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

export interface Reload {
  readonly tick: number;
  readonly player: PlayerIndex;
}

/** A player who looks into a flash. */
export interface Blinding {
  readonly tick: number;
  readonly player: PlayerIndex;
  readonly by: PlayerIndex | null;
  /** How long he sees nothing, or little. */
  readonly seconds: number;
}

/** A player in the sight of another, as the game's own radar has it: no wall and no smoke is in between. */
export interface Sight extends TickSpan {
  readonly player: PlayerIndex;
  readonly by: PlayerIndex;
}

/** What is done with the bomb, as the game's events tell it. */
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

/** What a player has with him. */
export interface Outfit {
  /** The game's name of the place he is at, such as `BombsiteA`; empty where it has none. */
  readonly place: string;
  /** 0 to 100. */
  readonly armor: number;
  readonly helmet: boolean;
  readonly kit: boolean;
  /** Dollars. */
  readonly money: number;
  /** In his hand. */
  readonly weapon: string | null;
  /** All he carries. */
  readonly items: readonly string[];
}

/** What a player has from a tick on. */
export interface OutfitChange extends Outfit {
  readonly tick: number;
  readonly player: PlayerIndex;
}

/** A grenade on its way. */
export interface GrenadeFlight {
  readonly kind: 'smokegrenade' | 'flashbang' | 'hegrenade' | 'molotov' | 'decoy';
  readonly player: PlayerIndex | null;
  /** In tick order. */
  readonly path: readonly { readonly tick: number; readonly x: number; readonly y: number; readonly z: number }[];
}

/** Who carries the bomb from a tick on, or where it lies; neither once it is planted. */
export interface BombPlace {
  readonly tick: number;
  readonly carrier: PlayerIndex | null;
  readonly ground: { readonly x: number; readonly y: number; readonly z: number } | null;
}

/** A flame of a fire, that burns from `startTick` on. */
export interface Flame extends TickSpan {
  readonly x: number;
  readonly y: number;
}

/** A grenade's cloud or blast, or the bomb, on the map. */
export interface MapEffect {
  readonly kind: 'smoke' | 'flash' | 'explosion' | 'fire' | 'decoy' | 'bomb';
  readonly startTick: number;
  readonly endTick: number;
  /** Who defused the bomb; only there where somebody did. */
  readonly defusedBy?: PlayerIndex;
  /** Of a fire, where the recording tells; it spreads and goes out flame by flame. */
  readonly flames?: readonly Flame[];
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Bits of `Tracks.flags`. */
export const TRACK_PRESENT = 1;
export const TRACK_ALIVE = 2;
export const TRACK_TEAM_T = 4;
export const TRACK_TEAM_CT = 8;
export const TRACK_DUCKING = 16;

/**
 * Where every player was at every tick. Sample `i` of player `p` stands at `p * length + i` and belongs to tick
 * `firstTick + i`. Positions are of the feet. A sample without TRACK_PRESENT holds zeros.
 */
export interface Tracks {
  readonly firstTick: number;
  readonly length: number;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  /** Degrees counter-clockwise from +x, -180 to 180. */
  readonly yaw: Float32Array;
  /** Degrees, positive looks down. */
  readonly pitch: Float32Array;
  /** Health points, 0 to 100. */
  readonly health: Uint8Array;
  readonly flags: Uint8Array;
}

export interface Match {
  /** Such as `de_nuke`. */
  readonly map: string;
  /** The game's patch version that recorded the demo, such as 14160 for 1.41.6.0; null where the header has none. */
  readonly gamePatch: number | null;
  readonly build: number | null;
  readonly tickRate: number;
  readonly firstTick: number;
  readonly lastTick: number;
  readonly players: readonly Player[];
  /** The recording was ended properly; otherwise it stops with its last whole tick. */
  readonly complete: boolean;
  /** The one player who can be shown, in a recording that he made himself; null where everybody can. */
  readonly recorder: PlayerIndex | null;
  /** Ticks in which nothing was recorded, or the game was paused. */
  readonly gaps: readonly TickSpan[];
  /** In the order of their numbers. */
  readonly rounds: readonly Round[];
  /** What the rounds' starts, ends and numbers were read from. */
  readonly roundEvidence: Readonly<Record<'starts' | 'ends' | 'numbers', readonly RoundSource[]>>;
  /**
   * In tick order, as are the lists below. Suicides, team kills and warm-up kills are in; the planner leaves them out.
   */
  readonly kills: readonly Kill[];
  readonly hurts: readonly Hurt[];
  readonly weaponFires: readonly WeaponFire[];
  readonly reloads: readonly Reload[];
  readonly blindings: readonly Blinding[];
  /** By when they begin; none where the recording does not tell. */
  readonly sights: readonly Sight[];
  readonly bombActions: readonly BombAction[];
  /** None where the recording does not tell. */
  readonly outfits: readonly OutfitChange[];
  readonly flights: readonly GrenadeFlight[];
  readonly bombPlaces: readonly BombPlace[];
  readonly effects: readonly MapEffect[];
  readonly tracks: Tracks;
}
