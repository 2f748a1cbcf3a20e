import { areaAt, type FloorPoint, findRoute } from '../map/navigation.ts';
import { inSight, isFloor } from '../map/sight.ts';
import { TICK_RATE } from '../scripted-match.ts';
import type { Field } from './field.ts';
import { distanceBetween, type Fighter, wrapDegrees, yawTowards } from './fighter.ts';
import { KNIFE_SPEED } from './weapons.ts';

/** Units a second squared: full speed in a third of a second, and round turns. */
const ACCELERATION = 680;
/** The distance at which a corner counts as passed, so that the turn begins early. */
const CORNER_UNITS = 80;
const TOUCH_UNITS = 12;
const SIDESTEP_SPEED = 110;
const CLIMB_SPEED = 170;

/** Degrees a tick. */
const EASY_TURN = { share: 0.09, most: 4.5 } as const;
const COMBAT_TURN = { share: 0.22, most: 9 } as const;

/** A fighter who watches a place looks to and fro. */
const SWEEP_DEGREES = 17;
const SWEEP_TICKS = 45;

export function sendTo(field: Field, fighter: Fighter, to: FloorPoint): void {
  fighter.route = findRoute(fighter, to, field.random);
  fighter.lookAt = null;
}

/** Moves one tick along the route, or sideways in a fight. A fighter who plants, defuses or is frozen does not move. */
export function move(field: Field, fighter: Fighter): void {
  const frozen = field.tick < field.liveTick || field.work?.by === fighter;
  const [wantX, wantY] = frozen ? [0, 0] : wantedVelocity(fighter);
  const most = ACCELERATION / TICK_RATE;
  const changeX = wantX - fighter.velocityX;
  const changeY = wantY - fighter.velocityY;
  const scale = Math.min(1, most / Math.max(1e-6, Math.hypot(changeX, changeY)));
  fighter.velocityX += changeX * scale;
  fighter.velocityY += changeY * scale;
  step(fighter);
}

function wantedVelocity(fighter: Fighter): readonly [x: number, y: number] {
  if (fighter.target !== null) {
    const sideways = ((fighter.yaw + 90) * Math.PI) / 180;
    const speed = fighter.sidestep * SIDESTEP_SPEED;
    return [Math.cos(sideways) * speed, Math.sin(sideways) * speed];
  }
  const [next, afterNext] = fighter.route;
  if (next !== undefined && afterNext !== undefined && isTaken(fighter, next, afterNext)) fighter.route.shift();
  const corner = fighter.route[0];
  if (corner === undefined) return [0, 0];
  const distance = Math.max(1, distanceBetween(fighter, corner));
  if (fighter.route.length === 1 && distance < 8) {
    fighter.route.shift();
    return [0, 0];
  }
  const top = fighter.route.length > 4 ? KNIFE_SPEED : fighter.weapon.speed;
  const speed = fighter.route.length === 1 ? Math.min(top, distance * 5) : top;
  return [((corner.x - fighter.x) / distance) * speed, ((corner.y - fighter.y) / distance) * speed];
}

/** Whether the fighter may head for the next corner: near enough, and no wall in between. */
function isTaken(fighter: Fighter, corner: FloorPoint, afterCorner: FloorPoint): boolean {
  const distance = distanceBetween(fighter, corner);
  if (distance > CORNER_UNITS) return false;
  return distance < TOUCH_UNITS || inSight(fighter.x, fighter.y, afterCorner.x, afterCorner.y);
}

/** Moves one tick, along a wall if there is one. */
function step(fighter: Fighter): void {
  const x = fighter.x + fighter.velocityX / TICK_RATE;
  const y = fighter.y + fighter.velocityY / TICK_RATE;
  if (isFloor(x, y)) {
    fighter.x = x;
    fighter.y = y;
  } else if (isFloor(x, fighter.y)) {
    fighter.x = x;
    fighter.velocityY = 0;
  } else if (isFloor(fighter.x, y)) {
    fighter.y = y;
    fighter.velocityX = 0;
  } else {
    fighter.velocityX = 0;
    fighter.velocityY = 0;
  }
  const climb = CLIMB_SPEED / TICK_RATE;
  const height = areaAt(fighter.x, fighter.y).height;
  fighter.z += Math.min(climb, Math.max(-climb, height - fighter.z));
}

/** Turns the view one tick: to the enemy, along the way, or to the watched place. Returns how many degrees are left. */
export function look(field: Field, fighter: Fighter): number {
  const { target, lookAt } = fighter;
  const speed = Math.hypot(fighter.velocityX, fighter.velocityY);
  const turn = target === null ? EASY_TURN : COMBAT_TURN;
  let wanted = fighter.yaw;
  let pitch = 2;
  if (target !== null) {
    wanted = yawTowards(fighter, target);
    pitch = (Math.atan2(fighter.z - target.z, distanceBetween(fighter, target) + 1) * 180) / Math.PI;
  } else if (speed > 40) {
    wanted = (Math.atan2(fighter.velocityY, fighter.velocityX) * 180) / Math.PI;
  } else if (lookAt !== null) {
    wanted = yawTowards(fighter, lookAt) + SWEEP_DEGREES * Math.sin(field.tick / SWEEP_TICKS + 2 * fighter.slot);
  }
  const off = wrapDegrees(wanted - fighter.yaw);
  fighter.yaw = wrapDegrees(
    fighter.yaw + Math.sign(off) * Math.min(Math.abs(off) * turn.share + 0.05, turn.most, Math.abs(off)),
  );
  fighter.pitch += (pitch - fighter.pitch) * turn.share;
  return Math.abs(wrapDegrees(wanted - fighter.yaw));
}
