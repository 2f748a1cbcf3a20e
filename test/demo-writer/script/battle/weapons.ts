import type { Random } from '../random.ts';
import type { Team } from '../scripted-match.ts';

export interface Weapon {
  /** Without `weapon_`. */
  readonly name: string;
  /** Ticks between two shots. */
  readonly cycleTicks: number;
  /** Health points of a hit to the chest with armour. */
  readonly damage: number;
  /** The factor of a hit to the head with armour. */
  readonly headFactor: number;
  /** Chance of a hit on a player who does not move, 700 units away. */
  readonly accuracy: number;
  /** Shots of one burst. */
  readonly burst: readonly [low: number, high: number];
  /** Units a second with the weapon in hand. */
  readonly speed: number;
  readonly scoped: boolean;
}

const rifle = { cycleTicks: 6, headFactor: 4, burst: [3, 8], scoped: false } as const;
const pistol = { cycleTicks: 10, headFactor: 3.2, burst: [2, 5], scoped: false, speed: 240 } as const;

export const WEAPONS = {
  ak47: { ...rifle, name: 'ak47', damage: 28, accuracy: 0.24, speed: 215 },
  galilar: { ...rifle, name: 'galilar', damage: 24, accuracy: 0.21, speed: 215 },
  m4a1: { ...rifle, name: 'm4a1', damage: 25, accuracy: 0.25, speed: 225 },
  m4a1_silencer: { ...rifle, name: 'm4a1_silencer', damage: 27, accuracy: 0.25, speed: 225 },
  famas: { ...rifle, name: 'famas', damage: 22, accuracy: 0.22, speed: 220 },
  awp: {
    name: 'awp',
    cycleTicks: 94,
    damage: 115,
    headFactor: 4,
    accuracy: 0.55,
    burst: [1, 1],
    speed: 200,
    scoped: true,
  },
  mp9: { ...rifle, name: 'mp9', cycleTicks: 5, damage: 17, accuracy: 0.24, speed: 240 },
  mac10: { ...rifle, name: 'mac10', cycleTicks: 5, damage: 18, accuracy: 0.22, speed: 240 },
  glock: { ...pistol, name: 'glock', damage: 19, accuracy: 0.24 },
  usp_silencer: { ...pistol, name: 'usp_silencer', damage: 23, accuracy: 0.26 },
  deagle: { ...pistol, name: 'deagle', cycleTicks: 18, damage: 48, accuracy: 0.24, burst: [1, 2] },
} as const satisfies Record<string, Weapon>;

/** Units a second with the knife, while no enemy can be near. */
export const KNIFE_SPEED = 250;

const PISTOLS = {
  T: [WEAPONS.glock, WEAPONS.glock, WEAPONS.deagle],
  CT: [WEAPONS.usp_silencer, WEAPONS.usp_silencer, WEAPONS.deagle],
} as const;
const RIFLES = {
  T: [WEAPONS.ak47, WEAPONS.ak47, WEAPONS.ak47, WEAPONS.galilar, WEAPONS.mac10],
  CT: [WEAPONS.m4a1, WEAPONS.m4a1_silencer, WEAPONS.m4a1, WEAPONS.famas, WEAPONS.mp9],
} as const;

/** The player of the round has the best rifle of their side. */
const BEST = { T: WEAPONS.ak47, CT: WEAPONS.m4a1_silencer } as const;

export type Part = 'hero' | 'sniper' | 'other';

/** Returns the weapon of a player: a pistol in pistol rounds, else by their part. */
export function chooseWeapon(team: Team, isPistolRound: boolean, part: Part, random: Random): Weapon {
  if (isPistolRound) return random.pick<Weapon>(PISTOLS[team]);
  if (part === 'hero') return BEST[team];
  return part === 'sniper' ? WEAPONS.awp : random.pick<Weapon>(RIFLES[team]);
}
