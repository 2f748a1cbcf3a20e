import { type Canvas, type Context2D, createCanvas } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { scaleOf } from '../drawing/layout.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, fading, outlinedText, type PanelBox, smoothstep, withAlpha } from '../drawing/theme.ts';
import type { PlayerIndex } from '../match/match.ts';
import type { PlayerState } from '../match/player-state.ts';
import { type Moment, toScreen } from './moment.ts';

/** Sizes at scale 1: a player's panel, and the row with both teams and the clock. */
export const PANEL = { width: 348, height: 68, gap: 6 };
export const SCOREBOARD = { width: 860, height: 58, top: 24, clock: 156, gap: 12, team: 62, pip: 22, score: 66 };
/** The most pips of a team, whatever its size. */
export const MOST_PIPS = 8;
/** How much larger the point-of-view player's panel is, and the distance of panels from the sides of the picture. */
const OWN_SIZE = 1.5;
const MARGIN = 24;
/** The middle of a team's panels, as a part of the picture's height. */
const MIDDLE = 0.512;
const MOST_PANELS = 6;

/** The opacity of a panel over a player, and the pixels around a player at which it begins and is complete. */
const OVER_PLAYER = 0.3;
const AROUND_PLAYER = { begin: 42, complete: 22 };

export interface PlayerPanel extends PanelBox {
  readonly player: PlayerIndex;
}

type Size = Pick<PanelBox, 'width' | 'height'>;

/** Returns the places of the players' panels: CT at the left, T at the right, the point-of-view player below. */
export function playerPanels(players: Moment['players'], pov: PlayerIndex, { width, height }: Size): PlayerPanel[] {
  const scale = scaleOf({ width, height });
  const place = (player: PlayerIndex, isLeft: boolean, y: number, size: number): PlayerPanel => ({
    player,
    x: Math.round(isLeft ? MARGIN * scale : width - (MARGIN + PANEL.width) * scale),
    y: Math.round(y),
    width: PANEL.width * size,
    height: PANEL.height * size,
  });
  const playing = [...players.entries()].filter((entry): entry is [PlayerIndex, PlayerState] => entry[1] !== null);
  const others = (['CT', 'T'] as const).flatMap((side) => {
    const team = playing.filter(([player, { team }]) => team === side && player !== pov).slice(0, MOST_PANELS);
    const step = (PANEL.height + PANEL.gap) * scale;
    const top = height * MIDDLE - (step * team.length) / 2;
    return team.map(([player], at) => place(player, side === 'CT', top + at * step, scale));
  });
  const own = place(pov, true, height - (MARGIN + PANEL.height * OWN_SIZE) * scale, OWN_SIZE * scale);
  return players[pov] == null ? others : [...others, own];
}

/** Returns the place of what the scoreboard shows, in the middle of its row. */
export function scoreboardBox(players: Moment['players'], { width, height }: Size): PanelBox {
  const scale = scaleOf({ width, height });
  const { clock, gap, team, pip, score, top } = SCOREBOARD;
  const [ct, t] = (['CT', 'T'] as const).map((side) => players.filter((state) => state?.team === side).length);
  const pips = Math.min(Math.max(ct ?? 0, t ?? 0), MOST_PIPS);
  const wide = (clock + 2 * (gap + team + pip * pips + gap + score)) * scale;
  return { x: (width - wide) / 2, y: Math.round(top * scale), width: wide, height: SCOREBOARD.height * scale };
}

/** Returns the places of all panels that are always shown. */
export function hudPanels(players: Moment['players'], pov: PlayerIndex, size: Size): PanelBox[] {
  return [scoreboardBox(players, size), ...playerPanels(players, pov, size)];
}

/** Returns the opacity of a panel, so that it hides no living player whom the clip shows. */
export function panelOpacity(moment: Moment, { x, y, width, height }: PanelBox): number {
  const { players, shot, options, visibility, scale } = moment;
  const opacities = players.map((state, player) => {
    if (state?.alive !== true) return 1;
    const at = toScreen(moment, state);
    const away = Math.hypot(Math.max(x - at.x, at.x - x - width, 0), Math.max(y - at.y, at.y - y - height, 0));
    const shown = player === shot.pov || options.xray ? 1 : (visibility[player] ?? 0);
    const isClear = smoothstep(AROUND_PLAYER.complete * scale, AROUND_PLAYER.begin * scale, away);
    return 1 - (1 - OVER_PLAYER) * shown * (1 - isClear);
  });
  return Math.min(1, ...opacities);
}

/** Returns the picture of a key. Calls `paint` unless the key is that of the last call. */
export type Plate = (key: string, paint: (ctx: Context2D) => void) => Canvas;

/** Creates a small picture that is painted again only when its `key` changes. */
export function createPlate(width: number, height: number, scale: number): Plate {
  const canvas = createCanvas(Math.ceil(width), Math.ceil(height));
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  ctx.textBaseline = 'alphabetic';
  let shown: string | null = null;
  return (key, paint) => {
    if (key !== shown) {
      ctx.clearRect(0, 0, canvas.width / scale, canvas.height / scale);
      paint(ctx);
      shown = key;
    }
    return canvas;
  };
}

/**
 * Small pictures that are painted once and drawn many times: a new blur or text layout in each frame would cost more
 * than the rest of the frame.
 */
export type Sprite = Canvas;

/** Returns a player's name with a dark outline, which keeps it legible on any ground. */
export function nameSprite(name: string, isPov: boolean, scale: number): Sprite {
  const size = (isPov ? 27 : 23) * scale;
  const pad = 5 * scale;
  const measure = createCanvas(1, 1).getContext('2d');
  const whole = drawableName(name);
  measure.font = font(isPov ? FONT.display : FONT.text, size, whole);
  const text = fitText(measure, whole, 210 * scale);
  const height = Math.ceil(size * 1.34);
  const canvas = createCanvas(Math.ceil(measure.measureText(text).width + 2 * pad), height);
  const ctx = canvas.getContext('2d');
  ctx.font = measure.font;
  ctx.textBaseline = 'middle';
  const dark = withAlpha(COLOR.background, 0.86);
  const color = isPov ? COLOR.ink : '#dfe7ee';
  outlinedText(ctx, text, { x: pad, y: height * 0.52 }, { width: 5 * scale, dark, color });
  return canvas;
}

/** Returns a soft round glow, strongest in the middle. */
export function glowSprite(color: string, radius: number, strength: number): Sprite {
  const canvas = createCanvas(Math.ceil(radius * 2), Math.ceil(radius * 2));
  const ctx = canvas.getContext('2d');
  const round = ctx.createRadialGradient(radius, radius, 0, radius, radius, radius);
  ctx.fillStyle = fading(round, color, [0, strength], [0.35, strength * 0.5], [1, 0]);
  ctx.fillRect(0, 0, radius * 2, radius * 2);
  return canvas;
}

/**
 * Returns a cloud of soft puffs that evenly fills a disc of `radius` pixels, with an uneven rim like smoke or flame.
 */
export function cloudSprite(color: string, core: string, radius: number): Sprite {
  const size = Math.ceil(radius * 2.5);
  const middle = size / 2;
  const canvas = createCanvas(size, size);
  const ctx = canvas.getContext('2d');
  const goldenAngle = Math.PI * (3 - Math.sqrt(5));
  const count = 48;
  for (let i = 0; i < count; i++) {
    const away = radius * 0.76 * Math.sqrt((i + 0.5) / count);
    const puff = radius * (0.36 + 0.1 * Math.sin(i * 2.7));
    const x = middle + Math.cos(i * goldenAngle) * away;
    const y = middle + Math.sin(i * goldenAngle) * away;
    const round = ctx.createRadialGradient(x, y, 0, x, y, puff);
    ctx.fillStyle = fading(round, i % 3 === 0 ? core : color, [0, 0.42], [0.6, 0.26], [1, 0]);
    ctx.fillRect(x - puff, y - puff, puff * 2, puff * 2);
  }
  return canvas;
}
