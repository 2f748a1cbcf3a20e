import type { Context2D } from '../drawing/canvas.ts';
import { COLOR, easeOut, fading, smoothstep, strokeLine, teamColor } from '../drawing/theme.ts';
import type { Hurt, Kill, WeaponFire } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import { eventsAround, floorsUp, type Moment, onScreen, type Point, secondsSince, toScreen } from './moment.ts';
import type { Sprite } from './panels.ts';

const TRACER_SECONDS = 0.2;
/** The length of a shot that hits nobody, in units. */
const MISS_UNITS = 620;
/** The most ticks between a shot and its hit. */
const HIT_TICKS = 2;
const MUZZLE_UNITS = 34;
/** Seconds before a kill in which the line of sight closes in on the victim, and seconds after it. */
const LOCK_BEFORE = 0.75;
const LOCK_AFTER = 0.3;
const SILENT = /knife|bayonet|grenade|flashbang|molotov|decoy|c4|healthshot/;

/** Paints recent shots with their muzzle flashes: from the shooter to the victim, or along their view, fading. */
export function paintTracers(ctx: Context2D, moment: Moment, flash: Sprite): void {
  const { match, scale } = moment;
  ctx.lineCap = 'round';
  for (const fire of eventsAround(moment, match.weaponFires, TRACER_SECONDS)) {
    if (SILENT.test(fire.weapon)) continue;
    const shooter = playerAt(match, fire.player, fire.tick);
    if (shooter === null || floorsUp(moment, shooter.z) !== 0) continue;
    const isPov = fire.player === moment.shot.pov;
    const seen = isPov ? 1 : Math.max(moment.visibility[fire.player] ?? 0, 0.25);
    const yaw = (shooter.yaw * Math.PI) / 180;
    const hit = hitOf(moment, fire);
    const direction = hit === null ? yaw : Math.atan2(hit.y - shooter.y, hit.x - shooter.x);
    const muzzle = toScreen(moment, along(shooter, direction, MUZZLE_UNITS));
    const end = toScreen(moment, hit ?? along(shooter, yaw, MISS_UNITS));
    if (!onScreen(moment, muzzle, 200 * scale) && !onScreen(moment, end, 200 * scale)) continue;
    const age = secondsSince(moment, fire.tick);
    const fade = (1 - smoothstep(0.02, TRACER_SECONDS, age)) * seen;
    const color = isPov ? '#fff3d6' : teamColor(shooter.team);
    const gradient = ctx.createLinearGradient(muzzle.x, muzzle.y, end.x, end.y);
    ctx.strokeStyle = fading(gradient, color, [0, fade * 0.95], [1, hit === null ? 0 : fade * 0.7]);
    ctx.lineWidth = (isPov ? 3.4 : 2.2) * scale;
    strokeLine(ctx, muzzle, end);
    const size = (isPov ? 74 : 52) * scale * (1 - smoothstep(0, 0.09, age));
    if (size < 1) continue;
    ctx.globalAlpha = seen;
    ctx.drawImage(flash, muzzle.x - size / 2, muzzle.y - size / 2, size, size);
    ctx.globalAlpha = 1;
  }
}

/** Paints a line of sight and closing brackets before each of the shot's kills. */
export function paintLocks(ctx: Context2D, moment: Moment): void {
  for (const kill of eventsAround(moment, moment.shot.kills, LOCK_AFTER, LOCK_BEFORE)) paintLock(ctx, moment, kill);
  ctx.globalAlpha = 1;
}

function paintLock(ctx: Context2D, moment: Moment, kill: Kill): void {
  const { match, scale } = moment;
  const toKill = -secondsSince(moment, kill.tick);
  const shooter = playerAt(match, moment.shot.subject, moment.tick);
  const victim = playerAt(match, kill.victim, Math.min(moment.tick, kill.tick - 1));
  if (shooter === null || victim === null || !shooter.alive) return;
  const closing = easeOut(1 - toKill / LOCK_BEFORE);
  const strength = smoothstep(LOCK_BEFORE, LOCK_BEFORE * 0.6, toKill) * smoothstep(-LOCK_AFTER, 0, toKill);
  const from = toScreen(moment, shooter);
  const to = toScreen(moment, victim);
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const radius = (64 - 32 * closing) * scale;
  if (distance > radius + 40 * scale) {
    const unit = { x: (to.x - from.x) / distance, y: (to.y - from.y) / distance };
    const start = { x: from.x + unit.x * 34 * scale, y: from.y + unit.y * 34 * scale };
    const end = { x: to.x - unit.x * radius, y: to.y - unit.y * radius };
    const gradient = ctx.createLinearGradient(start.x, start.y, end.x, end.y);
    ctx.strokeStyle = fading(gradient, COLOR.danger, [0, 0.05 * strength], [1, 0.8 * strength]);
    ctx.lineWidth = 3 * scale;
    strokeLine(ctx, start, end);
  }
  ctx.globalAlpha = strength;
  ctx.lineCap = 'round';
  ctx.beginPath();
  for (let quarter = 0; quarter < 4; quarter++) {
    const start = (quarter / 4) * Math.PI * 2 + Math.PI / 4 + (1 - closing) * 0.9 - 0.38;
    ctx.moveTo(to.x + radius * Math.cos(start), to.y + radius * Math.sin(start));
    ctx.arc(to.x, to.y, radius, start, start + 0.76);
  }
  ctx.lineWidth = 7 * scale;
  ctx.strokeStyle = COLOR.background;
  ctx.stroke();
  ctx.lineWidth = 3.6 * scale;
  ctx.strokeStyle = COLOR.danger;
  ctx.stroke();
}

function hitOf(moment: Moment, fire: WeaponFire): Point | null {
  const { match } = moment;
  const ticks = HIT_TICKS / match.tickRate;
  const at: Moment = { ...moment, tick: fire.tick };
  const isHit = ({ attacker, victim }: Hurt): boolean => attacker === fire.player && victim !== fire.player;
  const hurt = eventsAround(at, match.hurts, ticks, ticks).find(isHit);
  return hurt === undefined ? null : playerAt(match, hurt.victim, fire.tick - 1);
}

function along(from: Point, radians: number, units: number): Point {
  return { x: from.x + Math.cos(radians) * units, y: from.y + Math.sin(radians) * units };
}
