import type { Context2D } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { drawKillMark } from '../drawing/kill-marks.ts';
import { COLOR, fillDisc, smoothstep, strokeRing, withAlpha } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import type { GrenadeFlight, MapEffect } from '../match/match.ts';
import { floorsUp, type Moment, onScreen, roundStartOf, secondsSince, toScreen } from './moment.ts';

const FLIGHT_COLOR: Readonly<Record<GrenadeFlight['kind'], string>> = {
  smokegrenade: '#d4dde6',
  flashbang: '#ffffff',
  hegrenade: '#ffb066',
  molotov: '#ffa873',
  decoy: '#c3ced9',
};
/** Seconds that a path is visible after its grenade. */
const TRAIL_SECONDS = 0.6;

/** Paints flying grenades with their paths so far, and the time left of each smoke. */
export function paintUtility(ctx: Context2D, moment: Moment): void {
  const cleared = roundStartOf(moment);
  for (const flight of moment.match.flights) paintFlight(ctx, moment, flight, cleared);
  for (const effect of moment.match.effects) {
    if (effect.kind !== 'smoke' || effect.startTick > moment.tick || effect.endTick <= moment.tick) continue;
    if (floorsUp(moment, effect.z) !== 0) continue;
    paintTimeLeft(ctx, moment, effect);
  }
  ctx.globalAlpha = 1;
}

function paintFlight(ctx: Context2D, moment: Moment, { kind, path }: GrenadeFlight, cleared: number): void {
  const { tick, scale } = moment;
  const [first] = path;
  const last = path.at(-1);
  if (first === undefined || last === undefined || tick < first.tick || first.tick < cleared) return;
  const over = secondsSince(moment, last.tick);
  if (over > TRAIL_SECONDS || floorsUp(moment, first.z) !== 0) return;
  const flown = path.filter((point) => point.tick <= tick);
  const next = path[flown.length];
  const from = flown.at(-1) ?? first;
  const part = next === undefined ? 0 : (tick - from.tick) / (next.tick - from.tick);
  const head = toScreen(moment, {
    x: from.x + ((next?.x ?? from.x) - from.x) * part,
    y: from.y + ((next?.y ?? from.y) - from.y) * part,
  });
  if (!onScreen(moment, head, 400 * scale)) return;
  ctx.globalAlpha = 0.95 * (1 - smoothstep(0, TRAIL_SECONDS, over));
  ctx.strokeStyle = FLIGHT_COLOR[kind];
  ctx.lineWidth = 2.4 * scale;
  ctx.lineJoin = 'round';
  ctx.setLineDash([7 * scale, 6 * scale]);
  ctx.beginPath();
  for (const [i, point] of flown.entries()) {
    const { x, y } = toScreen(moment, point);
    if (i === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.lineTo(head.x, head.y);
  ctx.stroke();
  ctx.setLineDash([]);
  if (over > 0) return;
  const height = 20 * scale;
  ctx.globalAlpha = 1;
  ctx.fillStyle = withAlpha(COLOR.background, 0.8);
  fillDisc(ctx, head, 15 * scale);
  ctx.fillStyle = FLIGHT_COLOR[kind];
  drawWeaponGlyph(ctx, kind, head.x - weaponGlyphWidth(kind, height) / 2, head.y - height / 2, height);
}

/** Paints the seconds left, with a ring that empties. */
function paintTimeLeft(ctx: Context2D, moment: Moment, effect: MapEffect): void {
  const { scale } = moment;
  const at = toScreen(moment, effect);
  if (!onScreen(moment, at, 30 * scale)) return;
  const left = -secondsSince(moment, effect.endTick);
  const whole = (effect.endTick - effect.startTick) / moment.match.tickRate;
  ctx.globalAlpha = 0.9;
  ctx.lineWidth = 3 * scale;
  ctx.strokeStyle = withAlpha(COLOR.background, 0.75);
  strokeRing(ctx, at, 20 * scale, left / whole);
  ctx.font = font(FONT.display, 21 * scale);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = COLOR.background;
  ctx.fillText(`${Math.ceil(left)}`, at.x, at.y + scale);
}

/** Paints an eye over each blind player, with a ring that empties as the blindness ends. */
export function paintBlind(ctx: Context2D, moment: Moment): void {
  const { match, players, visibility, shot, options, scale } = moment;
  const cleared = roundStartOf(moment);
  for (const { tick, player, seconds } of match.blindings) {
    const since = secondsSince(moment, tick);
    const state = players[player];
    if (since < 0 || since >= seconds || tick < cleared || state?.alive !== true || floorsUp(moment, state.z) !== 0)
      continue;
    if (player !== shot.pov && !options.xray && (visibility[player] ?? 0) < 0.5) continue;
    const at = toScreen(moment, state);
    if (!onScreen(moment, at, 40 * scale)) continue;
    const left = 1 - since / seconds;
    ctx.globalAlpha = 0.35 + 0.65 * left;
    ctx.fillStyle = withAlpha('#ffffff', 0.5 * left);
    fillDisc(ctx, at, 17 * scale);
    ctx.strokeStyle = '#ffffff';
    ctx.lineWidth = 3.4 * scale;
    strokeRing(ctx, at, 28 * scale, left);
    drawKillMark(ctx, 'blind', at.x + 22 * scale, at.y - 40 * scale, 22 * scale, '#ffffff');
  }
  ctx.globalAlpha = 1;
}
