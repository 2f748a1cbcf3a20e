import { type Context2D, createCanvas, createPath, type Gradient, type Path } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { isWithin, layoutOf } from '../drawing/layout.ts';
import { drawableLine } from '../drawing/text.ts';
import { COLOR, centred, fading, type PanelBox, smoothstep, strokeLine, teamColor } from '../drawing/theme.ts';
import type { Callout, Position, Team } from '../match/match.ts';
import { playerAt } from '../match/player-state.ts';
import { floorsUp, type Moment, onScreen, toScreen } from './moment.ts';
import type { Sprite } from './panels.ts';

/** Half angle and length of a view cone, in degrees and pixels. */
const CONE = { half: 27, length: 118 };
const POV_CONE = { half: 41, length: 350 };
/** The opacity of a cone at its tip. */
const STRENGTH = 0.55;
const POV_STRENGTH = 0.5;
const TRAIL_SECONDS = 1.5;
const TRAIL_STEPS = 16;

/** A cone with its tip at the origin that opens towards +x, with its light for each team. */
interface Cone {
  readonly path: Path;
  readonly length: number;
  readonly light: Readonly<Record<Team | 'none', Gradient>>;
}

export interface Cones {
  readonly pov: Cone;
  readonly other: Cone;
}

export function createCones(scale: number): Cones {
  return { pov: createCone(POV_CONE, scale), other: createCone(CONE, scale) };
}

function createCone({ half, length }: typeof CONE, scale: number): Cone {
  const path = createPath();
  const angle = (half * Math.PI) / 180;
  path.moveTo(0, 0);
  path.arc(0, 0, length * scale, -angle, angle);
  path.closePath();
  const ctx = createCanvas(1, 1).getContext('2d');
  const light = (color: string): Gradient =>
    fading(ctx.createRadialGradient(0, 0, 8 * scale, 0, 0, length * scale), color, [0, 1], [0.45, 0.38], [1, 0]);
  const colors = { CT: light(teamColor('CT')), T: light(teamColor('T')), none: light(COLOR.muted) };
  return { path, length: length * scale, light: colors };
}

/** Paints the point-of-view player's recent path and each player's view cone, below all markers. */
export function paintCones(ctx: Context2D, moment: Moment, cones: Cones): void {
  paintTrail(ctx, moment);
  for (const [player, state] of moment.players.entries()) {
    if (state?.alive !== true) continue;
    const at = toScreen(moment, state);
    const isPov = player === moment.shot.pov;
    const cone = isPov ? cones.pov : cones.other;
    const shown = moment.visibility[player] ?? 0;
    // A player on another floor has no cone on this one.
    if (floorsUp(moment, state.z) !== 0) continue;
    if (!onScreen(moment, at, cone.length) || (shown <= 0.02 && !moment.options.xray)) continue;
    ctx.save();
    ctx.translate(at.x, at.y);
    ctx.rotate((-state.yaw * Math.PI) / 180);
    ctx.globalAlpha = isPov ? POV_STRENGTH : STRENGTH * Math.max(shown, 0.3);
    ctx.fillStyle = cone.light[state.team ?? 'none'];
    ctx.fill(cone.path);
    ctx.restore();
  }
}

function paintTrail(ctx: Context2D, moment: Moment): void {
  const { shot, match, scale } = moment;
  const state = moment.players[shot.pov];
  if (state?.alive !== true) return;
  ctx.lineCap = 'butt';
  ctx.strokeStyle = teamColor(state.team);
  let from = toScreen(moment, state);
  for (let i = 1; i <= TRAIL_STEPS; i++) {
    const past = playerAt(match, shot.pov, moment.tick - (i / TRAIL_STEPS) * TRAIL_SECONDS * match.tickRate);
    if (past?.alive !== true) break;
    const to = toScreen(moment, past);
    if (Math.hypot(to.x - from.x, to.y - from.y) > 80 * scale) break;
    ctx.globalAlpha = (1 - i / TRAIL_STEPS) ** 1.5;
    ctx.lineWidth = (7 - (5 * i) / TRAIL_STEPS) * scale;
    strokeLine(ctx, from, to);
    from = to;
  }
  ctx.globalAlpha = 1;
}

/** The name of a place, painted once. */
export interface CalloutSprite extends Position {
  readonly sprite: Sprite;
}

const NAME_STRENGTH = 0.7;
/** Pixels around a name within which a player, the cross of a fallen one or a panel fades it, and hides it. */
const CLEAR_OF = { player: { gone: 26, full: 90 }, fallen: { gone: 12, full: 36 }, panel: { gone: 0, full: 30 } };

export function createCalloutSprites(callouts: readonly Callout[], scale: number): readonly CalloutSprite[] {
  return callouts.map(({ name, x, y, z }) => ({ x, y, z, sprite: letters(drawableLine(name).toUpperCase(), scale) }));
}

function letters(text: string, scale: number): Sprite {
  const measure = createCanvas(1, 1).getContext('2d');
  measure.font = font(FONT.display, 21 * scale, text);
  measure.letterSpacing = `${(3 * scale).toFixed(1)}px`;
  const height = Math.ceil(30 * scale);
  const canvas = createCanvas(Math.ceil(measure.measureText(text).width) + 2, height);
  const ctx = canvas.getContext('2d');
  ctx.font = measure.font;
  ctx.letterSpacing = measure.letterSpacing;
  ctx.textBaseline = 'middle';
  ctx.fillStyle = '#e4edf5';
  ctx.fillText(text, 1, height / 2);
  return canvas;
}

/** Paints the names of places on the floor, below everything, and not where a panel or a player is, or one fell. */
export function paintCallouts(
  ctx: Context2D,
  moment: Moment,
  callouts: readonly CalloutSprite[],
  panels: readonly PanelBox[],
): void {
  const { players, scale, options } = moment;
  const { isWide, safe } = layoutOf(options);
  const obstacles = [
    ...panels.map((panel) => ({ ...centred(panel), ...CLEAR_OF.panel })),
    ...players.flatMap((state) => {
      if (state === null) return [];
      return { ...toScreen(moment, state), width: 0, height: 0, ...(state.alive ? CLEAR_OF.player : CLEAR_OF.fallen) };
    }),
  ];
  for (const callout of callouts) {
    const { sprite } = callout;
    const at = toScreen(moment, callout);
    if (floorsUp(moment, callout.z) !== 0 || !onScreen(moment, at, sprite.width)) continue;
    // In other shapes, callouts outside the safe area are hidden: apps cover them.
    let clear = isWide || isWithin({ ...at, width: sprite.width, height: sprite.height }, safe) ? 1 : 0;
    for (const { x, y, width, height, gone, full } of obstacles) {
      const beside = Math.max(Math.abs(x - at.x) - (width + sprite.width) / 2, 0);
      const over = Math.max(Math.abs(y - at.y) - (height + sprite.height) / 2, 0);
      clear = Math.min(clear, smoothstep(gone * scale, full * scale, Math.hypot(beside, over)));
    }
    if (clear < 0.02) continue;
    ctx.globalAlpha = NAME_STRENGTH * clear;
    ctx.drawImage(sprite, at.x - sprite.width / 2, at.y - sprite.height / 2);
  }
}
