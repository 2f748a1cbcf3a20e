import { inSight } from '../map/sight.ts';
import { type Cloud, type Field, isOnErrand } from './field.ts';
import { distanceBetween, type Fighter, isAlive, wrapDegrees, yawTowards } from './fighter.ts';

const SIGHT_UNITS = 1900;
const HEARING_UNITS = 320;
const HALF_VIEW_DEGREES = 62;
const SMOKE_RADIUS = 145;
/** An enemy who is out of sight for this long is forgotten. */
const FORGET_TICKS = 40;

/** Each fighter looks around on every fourth tick, staggered. */
const LOOK_EVERY_TICKS = 4;

/** The interval of the game's radar. */
const SPOT_EVERY_TICKS = 32;

/** Finds, keeps or forgets a target. */
export function chooseTarget(field: Field, fighter: Fighter): void {
  if ((field.tick + fighter.slot) % LOOK_EVERY_TICKS !== 0) return;
  const { target } = fighter;
  if (target !== null) {
    if (!isAlive(target) || isOnErrand(field, fighter)) giveUp(fighter);
    else if (isVisible(field, fighter, target)) fighter.targetSeenAt = field.tick;
    else if (field.tick - fighter.targetSeenAt > FORGET_TICKS) giveUp(fighter);
    return;
  }
  if (field.decided || field.work?.by === fighter || isOnErrand(field, fighter)) return;
  const enemy = nearestVisibleEnemy(field, fighter);
  if (enemy !== undefined) engage(field, fighter, enemy);
}

/** Records who sees whom, for the radar. */
export function spot(field: Field): void {
  if (field.tick % SPOT_EVERY_TICKS !== 0) return;
  for (const fighter of field.fighters) {
    fighter.spottedBy = 0;
    for (const seer of isAlive(fighter) ? field.fighters : []) {
      if (seer.team === fighter.team || !isAlive(seer) || distanceBetween(seer, fighter) > SIGHT_UNITS) continue;
      if (isAhead(seer, fighter) && isVisible(field, seer, fighter)) fighter.spottedBy |= 1 << seer.slot;
    }
  }
}

/** Targets an enemy after the reaction time. */
export function engage(field: Field, fighter: Fighter, enemy: Fighter): void {
  const { random } = field;
  const isHero = field.plan.hero === fighter.slot;
  const blind = fighter.blindUntil > field.tick;
  fighter.target = enemy;
  fighter.targetSeenAt = field.tick;
  fighter.readyAt = field.tick + (isHero ? random.whole(6, 10) : random.whole(12, 28)) + (blind ? 20 : 0);
  fighter.burstLeft = random.whole(...fighter.weapon.burst);
  fighter.sidestep = random.whole(-1, 1);
  fighter.ducking = random.chance(0.15);
  fighter.scoped = fighter.weapon.scoped && distanceBetween(fighter, enemy) > 350;
}

function giveUp(fighter: Fighter): void {
  fighter.target = null;
  fighter.scoped = false;
  fighter.ducking = false;
}

function nearestVisibleEnemy(field: Field, fighter: Fighter): Fighter | undefined {
  let nearest: Fighter | undefined;
  let nearestDistance = SIGHT_UNITS;
  for (const enemy of field.fighters) {
    if (enemy.team === fighter.team || !isAlive(enemy)) continue;
    const distance = distanceBetween(fighter, enemy);
    if (distance >= nearestDistance) continue;
    if (!isAhead(fighter, enemy) && distance > HEARING_UNITS) continue;
    if (!isVisible(field, fighter, enemy)) continue;
    nearest = enemy;
    nearestDistance = distance;
  }
  return nearest;
}

function isAhead(from: Fighter, to: Fighter): boolean {
  return Math.abs(wrapDegrees(yawTowards(from, to) - from.yaw)) <= HALF_VIEW_DEGREES;
}

export function isVisible(field: Field, from: Fighter, to: Fighter): boolean {
  return inSight(from.x, from.y, to.x, to.y) && smokeBetween(field, from, to) === undefined;
}

/** Returns a smoke in the line of fire. */
export function smokeBetween(field: Field, from: Fighter, to: Fighter): Cloud | undefined {
  return field.clouds.find((cloud) => cloud.kind === 'smoke' && distanceToLine(cloud, from, to) < SMOKE_RADIUS);
}

function distanceToLine(point: { x: number; y: number }, from: Fighter, to: Fighter): number {
  const alongX = to.x - from.x;
  const alongY = to.y - from.y;
  const length = alongX * alongX + alongY * alongY;
  const part = length === 0 ? 0 : ((point.x - from.x) * alongX + (point.y - from.y) * alongY) / length;
  const clamped = Math.min(1, Math.max(0, part));
  return Math.hypot(from.x + alongX * clamped - point.x, from.y + alongY * clamped - point.y);
}
