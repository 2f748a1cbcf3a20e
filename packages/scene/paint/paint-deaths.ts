import type { Context2D } from '../drawing/canvas.ts';
import { DAMAGE_SECONDS, drawKillMark, flightOf, paintDamageNumber } from '../drawing/kill-marks.ts';
import { clampToSafeArea, layoutOf } from '../drawing/layout.ts';
import { COLOR, easeOut, lerp, smoothstep, strokeRing, teamColor } from '../drawing/theme.ts';
import type { Hurt, Kill, SceneMatch } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import { eventsAround, type Moment, onScreen, type Point, roundStartOf, secondsSince, toScreen } from './moment.ts';
import type { Sprite } from './panels.ts';

const BURST_SECONDS = 0.7;
const MARK_SECONDS = 1.5;

/** Paints where players died in this round: a burst and a cross at the moment itself, then a dim cross. */
export function paintDeaths(ctx: Context2D, moment: Moment, flash: Sprite): void {
  const since = roundStartOf(moment);
  for (const kill of moment.match.kills) {
    if (kill.tick > moment.tick || kill.tick < since) continue;
    const victim = playerAt(moment.match, kill.victim, kill.tick - 1);
    if (victim === null) continue;
    const at = toScreen(moment, victim);
    if (!onScreen(moment, at, 120 * moment.scale)) continue;
    paintDeath(ctx, moment, kill, at, flash);
  }
  ctx.globalAlpha = 1;
}

function paintDeath(ctx: Context2D, moment: Moment, kill: Kill, at: Point, flash: Sprite): void {
  const { scale } = moment;
  const since = secondsSince(moment, kill.tick);
  const isOwn = kill.attacker === moment.shot.subject;
  const marked = smoothstep(0.25, MARK_SECONDS, since);
  const color = teamColor(kill.victimTeam);
  if (since < BURST_SECONDS) {
    const t = since / BURST_SECONDS;
    if (kill.headshot) {
      const size = (isOwn ? 260 : 160) * scale * (0.5 + 0.5 * easeOut(t * 2));
      ctx.globalAlpha = (1 - smoothstep(0, 0.4, t)) * 0.9;
      ctx.drawImage(flash, at.x - size / 2, at.y - size / 2, size, size);
    }
    ctx.globalAlpha = 1 - smoothstep(0.2, 1, t);
    ctx.strokeStyle = isOwn ? COLOR.danger : color;
    ctx.lineWidth = lerp(isOwn ? 7 : 4, 1, t) * scale;
    strokeRing(ctx, at, (14 + (isOwn ? 62 : 40) * easeOut(t)) * scale);
  }
  ctx.globalAlpha = lerp(1, 0.42, marked);
  const arm = lerp(15 + 8 * (1 - easeOut(since / 0.25)), 8.5, marked) * scale;
  cross(ctx, at, arm, COLOR.background, lerp(9, 6.5, marked) * scale);
  cross(ctx, at, arm, since < MARK_SECONDS && isOwn ? COLOR.danger : color, lerp(5, 3, marked) * scale);
  if (isOwn && kill.headshot && since < MARK_SECONDS) {
    const size = 28 * scale;
    const rise = easeOut(since / MARK_SECONDS) * 16 * scale;
    ctx.globalAlpha = 1 - smoothstep(0.7, MARK_SECONDS, since);
    drawKillMark(ctx, 'headshot', at.x - size / 2, at.y - 44 * scale - size - rise, size, COLOR.ink);
  }
}

function cross(ctx: Context2D, { x, y }: Point, arm: number, color: string, width: number): void {
  ctx.beginPath();
  ctx.moveTo(x - arm, y - arm);
  ctx.lineTo(x + arm, y + arm);
  ctx.moveTo(x + arm, y - arm);
  ctx.lineTo(x - arm, y + arm);
  ctx.lineCap = 'round';
  ctx.lineWidth = width;
  ctx.strokeStyle = color;
  ctx.stroke();
}

const STYLE = { from: 54, flight: 34, size: 32, pop: 10 };
/** The area beside a victim that a number stays in, and its distance from them, at scale 1. */
export const DAMAGE_BOX = { near: 18, width: 116, height: 176 };

/** The largest number, at scale 1. */
const NUMBER = { width: 96, height: 56 };

/** Returns the side of a victim that numbers fly to, away from the attacker: 1 is right, -1 is left. */
export function damageSide(match: SceneMatch, { attacker, victim, tick }: Hurt): 1 | -1 {
  const from = attacker === null ? null : playerAt(match, attacker, tick);
  const to = playerAt(match, victim, tick);
  return from !== null && to !== null && from.x > to.x ? -1 : 1;
}

/**
 * Paints the damage that the shot's subject deals as numbers that fly off the victim; red for the last hit of a kill.
 */
export function paintDamage(ctx: Context2D, moment: Moment): void {
  const { match, shot, scale } = moment;
  const own = match.hurts.filter(({ attacker, victim }) => attacker === shot.subject && victim !== shot.subject);
  for (const hurt of eventsAround(moment, own, DAMAGE_SECONDS)) {
    const victim = playerAt(match, hurt.victim, moment.tick);
    if (victim === null || hurt.damage === 0) continue;
    const at = toScreen(moment, victim);
    if (!onScreen(moment, at, 0)) continue;
    const since = secondsSince(moment, hurt.tick);
    const { x, y } = flightOf(own.indexOf(hurt), since, STYLE, scale);
    const place = clampToSafeArea(
      layoutOf(moment.options),
      { x: at.x + x * damageSide(match, hurt), y: at.y + y },
      NUMBER,
    );
    paintDamageNumber(ctx, hurt, since, place, STYLE, scale);
  }
  ctx.globalAlpha = 1;
}
