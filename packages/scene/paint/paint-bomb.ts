import type { Context2D } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import {
  COLOR,
  clamp,
  easeOut,
  fillDisc,
  kept,
  lerp,
  outlinedText,
  smoothstep,
  strokeRing,
  withAlpha,
} from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import { fuseOf, type MapEffect } from '../match/match.ts';
import { bombBeeps, bombSiteAt, bombWorkAt } from '../match/player-state.ts';
import { floorsUp, type Moment, onScreen, type Point, roundStartOf, toScreen } from './moment.ts';

/** How often a recording is sampled for places of the bomb. */
const SAMPLE_TICKS = 8;
const beepsOf = new WeakMap<MapEffect, readonly number[]>();

/** Paints the planted or dropped bomb, on the ground below the players. */
export function paintBomb(ctx: Context2D, moment: Moment): void {
  const { match, tick } = moment;
  for (const effect of match.effects) {
    if (effect.kind === 'bomb' && effect.startTick <= tick && tick < effect.endTick) paintTicking(ctx, moment, effect);
  }
  const ground = groundAt(moment);
  if (ground !== null && isFree(moment)) paintBadge(ctx, moment, toScreen(moment, ground), 19, COLOR.accent);
}

/** Returns where the bomb lies or falls; null while it is not on the ground. */
function groundAt({ match: { bombPlaces }, tick }: Moment): Point | null {
  const last = bombPlaces.findLastIndex((place) => place.tick <= tick);
  const [from, to] = [bombPlaces[last], bombPlaces[last + 1]];
  if (from?.ground == null || to?.ground == null) return from?.ground ?? null;
  const part = clamp(1 - (to.tick - tick) / SAMPLE_TICKS, 0, 1);
  return { x: lerp(from.ground.x, to.ground.x, part), y: lerp(from.ground.y, to.ground.y, part) };
}

/** Paints a mark on the bomb's carrier, and the progress of planting or defusing, over the players. */
export function paintBombWork(ctx: Context2D, moment: Moment): void {
  const { match, tick, players, scale } = moment;
  const carrier = match.bombPlaces.findLast((place) => place.tick <= tick)?.carrier ?? null;
  const holder = carrier === null ? null : players[carrier];
  if (holder?.alive === true && isFree(moment) && isShown(moment, carrier)) {
    const at = toScreen(moment, holder);
    paintBadge(ctx, moment, { x: at.x - 21 * scale, y: at.y + 19 * scale }, 12, COLOR.accent);
  }
  const work = bombWorkAt(match, tick);
  const worker = work === null ? null : players[work.player];
  if (work === null || worker == null || !isShown(moment, work.player)) return;
  const at = toScreen(moment, worker);
  ctx.lineWidth = 7 * scale;
  ctx.strokeStyle = withAlpha(COLOR.background, 0.8);
  strokeRing(ctx, at, 36 * scale, 1);
  ctx.lineWidth = 5 * scale;
  ctx.strokeStyle = work.kind === 'plant' ? COLOR.accent : COLOR.good;
  strokeRing(ctx, at, 36 * scale, work.done);
  const site = bombSiteAt(match, tick);
  const label = work.kind === 'plant' ? `PLANTING ${site ?? ''}` : 'DEFUSING';
  // Below the bomb's label while somebody defuses it.
  const below = work.kind === 'plant' ? 58 : 80;
  paintLabel(ctx, moment, label.trim(), { x: at.x, y: at.y + below * scale }, 21);
}

/** Whether the bomb is neither planted nor gone. */
function isFree(moment: Moment): boolean {
  const { match, tick } = moment;
  const last = match.bombActions.findLast(
    (action) => action.tick <= tick && /^(planted|defused|exploded)$/.test(action.kind),
  );
  return last === undefined || last.tick < roundStartOf(moment);
}

/** The bomb must not reveal a player who is not seen. */
function isShown({ visibility, options, shot }: Moment, player: number | null): boolean {
  return player !== null && (player === shot.pov || options.xray || (visibility[player] ?? 0) > 0.5);
}

function paintTicking(ctx: Context2D, moment: Moment, effect: MapEffect): void {
  const { match, tick, scale } = moment;
  const at = toScreen(moment, effect);
  if (!onScreen(moment, at, 90 * scale)) return;
  const beeps = kept(beepsOf, effect, () => bombBeeps(effect, match.tickRate));
  const last = beeps.findLast((beep) => beep <= tick);
  const since = last === undefined ? Infinity : (tick - last) / match.tickRate;
  const fuse = fuseOf(effect);
  const left = Math.max(0, fuse - (tick - effect.startTick) / match.tickRate);
  ctx.globalAlpha = floorsUp(moment, effect.z) === 0 ? 1 : 0.45;
  if (since < 0.5) {
    const faded = 1 - smoothstep(0, 0.5, since);
    ctx.lineWidth = 3.5 * scale;
    ctx.strokeStyle = withAlpha(COLOR.danger, faded);
    strokeRing(ctx, at, (24 + 34 * easeOut(since / 0.5)) * scale, 1);
  }
  paintBadge(ctx, moment, at, 22, since < 0.12 ? COLOR.danger : COLOR.accent);
  ctx.lineWidth = 4 * scale;
  ctx.strokeStyle = left < 10 ? COLOR.danger : COLOR.accent;
  strokeRing(ctx, at, 25 * scale, left / fuse);
  const site = bombSiteAt(match, tick);
  const seconds = left < 10 ? left.toFixed(1) : `${Math.ceil(left)}`;
  paintLabel(ctx, moment, site === null ? seconds : `${site}  ${seconds}`, { x: at.x, y: at.y + 46 * scale }, 22);
}

function paintBadge(ctx: Context2D, moment: Moment, { x, y }: Point, radius: number, color: string): void {
  const { scale } = moment;
  if (!onScreen(moment, { x, y }, 40 * scale)) return;
  ctx.fillStyle = withAlpha(COLOR.background, 0.85);
  fillDisc(ctx, { x, y }, radius * scale);
  ctx.fillStyle = color;
  const height = radius * 1.05 * scale;
  drawWeaponGlyph(ctx, 'c4', x - weaponGlyphWidth('c4', height) / 2, y - height / 2, height);
}

function paintLabel(ctx: Context2D, { scale }: Moment, text: string, at: Point, size: number): void {
  ctx.font = font(FONT.display, size * scale);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  outlinedText(ctx, text, at, { width: 5 * scale, dark: withAlpha(COLOR.background, 0.88), color: COLOR.ink });
}
