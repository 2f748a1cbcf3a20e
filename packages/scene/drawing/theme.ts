import type { Team } from '../match/match.ts';
import type { Context2D, Gradient } from './canvas.ts';

/** The picture's colours. Blue and orange differ for each common colour blindness. Shapes differ by team too. */
export const COLOR = {
  background: '#090d12',
  ink: '#f3f6f9',
  soft: '#c3ced9',
  muted: '#93a4b5',
  faint: '#4d5c6b',
  panel: 'rgba(7, 11, 16, 0.9)',
  danger: '#ff4d5a',
  good: '#8cf5b8',
  accent: '#ffd166',
  fire: '#ff7a3d',
} as const;

const TEAM_COLOR: Record<Team, string> = { CT: '#66d0ff', T: '#ffb658' };
const TEAM_TEXT: Record<Team, string> = { CT: '#8cdcff', T: '#ffc985' };

/** Returns the colour of a team's markers. */
export function teamColor(team: Team | null): string {
  return team === null ? COLOR.muted : TEAM_COLOR[team];
}

/** Returns the lighter tone of a team's colour, which is legible as text. */
export function teamText(team: Team | null): string {
  return team === null ? COLOR.muted : TEAM_TEXT[team];
}

/** Returns `#rrggbb` with an alpha of 0 to 1. */
export function withAlpha(hex: string, alpha: number): string {
  const value = Math.round(Math.min(Math.max(alpha, 0), 1) * 255);
  return `${hex}${value.toString(16).padStart(2, '0')}`;
}

/** Returns the value of a key, and makes it the first time. */
export function kept<Key, Value>(
  values: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

export function lerp(from: number, to: number, t: number): number {
  return from + (to - from) * t;
}

/** 0 below `from`, 1 above `to`, smooth between. */
export function smoothstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * (3 - 2 * t);
}

/** Like `smoothstep`, without a jolt at the ends: for what moves the whole picture. */
export function smootherstep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from), 0, 1);
  return t * t * t * (t * (t * 6 - 15) + 10);
}

/** Starts fast and slows down; 0 to 1. */
export function easeOut(t: number): number {
  const rest = 1 - clamp(t, 0, 1);
  return 1 - rest * rest * rest;
}

/** Rises from 0 to 1 over `rise`, and falls to 0 over the last `fall` of `length`, all in the unit of `value`. */
export function pulse(value: number, length: number, rise: number, fall: number): number {
  if (value < 0 || value > length) return 0;
  return smoothstep(0, rise, value) * (1 - smoothstep(length - fall, length, value));
}

/** The place of a panel over the picture, in pixels. */
export interface PanelBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns a box with `x` and `y` in its middle instead of its corner. */
export function centred<Box extends PanelBox>(box: Box): Box {
  return { ...box, x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export type PanelOpacity = (box: PanelBox) => number;

/** Paints the dark box behind texts over the picture, from the upper edge of the context. */
export function panelBox(ctx: Context2D, x: number, width: number, height: number): void {
  ctx.beginPath();
  ctx.roundRect(x + 1, 1, width - 2, height - 2, 11);
  ctx.fillStyle = COLOR.panel;
  ctx.fill();
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = withAlpha(COLOR.ink, 0.09);
  ctx.stroke();
}

/** Places of the picture, in pixels. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Strokes an arc, clockwise from the top: a `part` of a circle. */
export function strokeRing(ctx: Context2D, { x, y }: Place, radius: number, part = 1): void {
  const top = -Math.PI / 2;
  ctx.beginPath();
  ctx.arc(x, y, radius, top, top + Math.PI * 2 * part);
  ctx.stroke();
}

export function fillDisc(ctx: Context2D, { x, y }: Place, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, Math.PI * 2);
  ctx.fill();
}

export function strokeLine(ctx: Context2D, from: Place, to: Place): void {
  ctx.beginPath();
  ctx.moveTo(from.x, from.y);
  ctx.lineTo(to.x, to.y);
  ctx.stroke();
}

type Corner = readonly [x: number, y: number];

/** Begins the path of a polygon with these corners. */
export function beginPolygon(ctx: Context2D, first: Corner, ...others: readonly Corner[]): void {
  ctx.beginPath();
  ctx.moveTo(...first);
  for (const corner of others) ctx.lineTo(...corner);
  ctx.closePath();
}

/** Gives a gradient one colour at these places of it, each 0 to 1, with these alphas. */
export function fading<Ramp extends Gradient>(
  ramp: Ramp,
  color: string,
  ...stops: readonly (readonly [at: number, alpha: number])[]
): Ramp {
  for (const [at, alpha] of stops) ramp.addColorStop(at, withAlpha(color, alpha));
  return ramp;
}

/** Paints a text with an outline in `dark` around it, `width` pixels wide. */
export function outlinedText(
  ctx: Context2D,
  text: string,
  { x, y }: Place,
  { width, dark, color }: { readonly width: number; readonly dark: string; readonly color: string },
): void {
  ctx.lineJoin = 'round';
  ctx.lineWidth = width;
  ctx.strokeStyle = dark;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = color;
  ctx.fillText(text, x, y);
}
