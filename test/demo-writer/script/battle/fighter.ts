import type { FloorPoint } from '../map/navigation.ts';
import type { ScriptedState, Team } from '../scripted-match.ts';
import { WEAPONS, type Weapon } from './weapons.ts';

const FULL_HEALTH = 100;
const FULL_ARMOR = 100;

/** One player while the match is made: position, orders, target. Ticks are absolute. */
export interface Fighter {
  readonly slot: number;
  readonly userId: number;
  team: Team;
  x: number;
  y: number;
  z: number;
  velocityX: number;
  velocityY: number;
  yaw: number;
  pitch: number;
  health: number;
  armor: number;
  ducking: boolean;
  scoped: boolean;
  defusing: boolean;
  weapon: Weapon;
  score: number;
  /** Corners of the way ahead. */
  route: FloorPoint[];
  /** Waits until this tick at the end of the route. */
  holdUntil: number;
  /** Where to look while waiting; null looks along the way. */
  lookAt: FloorPoint | null;
  /** Position in the team: determines path and post. */
  role: number;
  target: Fighter | null;
  targetSeenAt: number;
  /** Does not shoot before this tick. */
  readyAt: number;
  burstLeft: number;
  /** The direction of a sidestep between bursts: -1, 0 or 1. */
  sidestep: number;
  blindUntil: number;
  flashDuration: number;
  flashedBy: Fighter | null;
  /** Who sees them: a bit for each slot. */
  spottedBy: number;
  /** Damage taken in this life by the slot that dealt it. */
  readonly damageBy: Map<number, number>;
}

export function createFighter(slot: number, userId: number, team: Team): Fighter {
  return {
    slot,
    userId,
    team,
    x: 0,
    y: 0,
    z: 0,
    velocityX: 0,
    velocityY: 0,
    yaw: 0,
    pitch: 0,
    health: FULL_HEALTH,
    armor: FULL_ARMOR,
    ducking: false,
    scoped: false,
    defusing: false,
    weapon: WEAPONS.glock,
    score: 0,
    route: [],
    holdUntil: 0,
    lookAt: null,
    role: 0,
    target: null,
    targetSeenAt: 0,
    readyAt: 0,
    burstLeft: 0,
    sidestep: 0,
    blindUntil: 0,
    flashDuration: 0,
    flashedBy: null,
    spottedBy: 0,
    damageBy: new Map(),
  };
}

/** Resets the fighter: alive, unhurt, without orders. */
export function revive(fighter: Fighter, place: FloorPoint, height: number, yaw: number): void {
  const { slot, userId, team } = fighter;
  const { weapon, score, role } = fighter;
  fighter.damageBy.clear();
  const { damageBy } = fighter;
  Object.assign(fighter, createFighter(slot, userId, team), { weapon, score, role, damageBy });
  Object.assign(fighter, { x: place.x, y: place.y, z: height, yaw });
}

export function isAlive(fighter: Fighter): boolean {
  return fighter.health > 0;
}

export function distanceBetween(a: FloorPoint, b: FloorPoint): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** Degrees counter-clockwise from +x. */
export function yawTowards(from: FloorPoint, to: FloorPoint): number {
  return (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
}

/** Returns the angle as a number from -180 to 180. */
export function wrapDegrees(degrees: number): number {
  const turn = ((degrees % 360) + 360) % 360;
  return turn > 180 ? turn - 360 : turn;
}

const START_MONEY = 800;
const MONEY_PER_POINT = 300;

export function stateOf(fighter: Fighter, place: string): ScriptedState {
  const { team, x, y, z, yaw, pitch, health, armor, ducking, scoped, defusing, flashDuration, spottedBy } = fighter;
  const { score } = fighter;
  const money = START_MONEY + score * MONEY_PER_POINT;
  const body = { team, x, y, z, yaw, pitch, health, armor, ducking, scoped, defusing };
  return { ...body, flashDuration, spottedBy, place, score, money };
}
