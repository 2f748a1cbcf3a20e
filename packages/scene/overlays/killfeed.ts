import { secondAt } from '#domain/clip/plan/shot-time.ts';
import type { Size } from '#domain/clip/render-order.ts';
import { type Canvas, type Context2D, createCanvas } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { drawKillMark, type KillMark, killMarks } from '../drawing/kill-marks.ts';
import { layoutOf } from '../drawing/layout.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, easeOut, kept, type PanelOpacity, smoothstep, teamText } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import type { Kill, SceneMatch } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';

/** Row height and the space between rows, in pixels at scale 1. */
export const ROW = { height: 42, gap: 7 };

const NAME_SIZE = 23;
const NAME_WIDTH = 230;
const PADDING = 14;
const GAP = 9;
const GLYPH = 24;
const MARK = 23;

interface Part {
  readonly width: number;
  paint(ctx: Context2D, x: number, middle: number): void;
}

/**
 * Paints one row of a killfeed: attacker (and assister), weapon, how, victim. `isOwn` marks the point-of-view player's
 * kills with a bright frame. Without `hasKillers` the row begins with the weapon. Names are cut so that the row is no
 * wider than `most` pixels.
 */
export function paintKillfeedRow(
  match: SceneMatch,
  kill: Kill,
  isOwn: boolean,
  scale: number,
  hasKillers = true,
  most = Infinity,
): Canvas {
  const measure = createCanvas(1, 1).getContext('2d');
  const names = [kill.attacker, kill.assister, kill.victim].map((player) => match.players[player ?? -1]?.name ?? '');
  measure.font = font(FONT.text, NAME_SIZE * scale, drawableName(names.join(' ')));
  const shown = hasKillers ? kill : { ...kill, attacker: null, assister: null };
  let parts: Part[];
  let width: number;
  let longest = NAME_WIDTH;
  do {
    parts = partsOf(match, shown, measure, scale, longest);
    const gaps = Math.max(parts.length - 1, 0) * GAP * scale;
    width = Math.ceil(parts.reduce((sum, part) => sum + part.width, 0) + gaps + 2 * PADDING * scale);
    longest -= 20;
  } while (width > most && longest > 0);
  const height = Math.ceil(ROW.height * scale);
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  const line = (isOwn ? 2.4 : 0) * scale;
  ctx.beginPath();
  ctx.roundRect(line / 2, line / 2, width - line, height - line, 7 * scale);
  ctx.fillStyle = COLOR.panel;
  ctx.fill();
  if (isOwn) {
    ctx.lineWidth = line;
    ctx.strokeStyle = COLOR.danger;
    ctx.stroke();
  }
  ctx.font = measure.font;
  ctx.textBaseline = 'alphabetic';
  let x = PADDING * scale;
  for (const part of parts) {
    part.paint(ctx, x, height / 2);
    x += part.width + GAP * scale;
  }
  return canvas;
}

function partsOf(match: SceneMatch, kill: Kill, measure: Context2D, scale: number, longest: number): Part[] {
  const nameOf = (player: number): string => drawableName(match.players[player]?.name ?? '');
  const text = (content: string, color: string, width = longest): Part => {
    const fitted = fitText(measure, content, width * scale);
    return {
      width: measure.measureText(fitted).width,
      paint(ctx, x, middle) {
        ctx.fillStyle = color;
        ctx.fillText(fitted, x, middle + NAME_SIZE * scale * 0.36);
      },
    };
  };
  const mark = (name: KillMark): Part => ({
    width: MARK * scale,
    paint: (ctx, x, middle) => drawKillMark(ctx, name, x, middle - (MARK * scale) / 2, MARK * scale, COLOR.ink),
  });
  const weapon: Part = {
    width: weaponGlyphWidth(kill.weapon, GLYPH * scale),
    paint(ctx, x, middle) {
      ctx.fillStyle = COLOR.ink;
      drawWeaponGlyph(ctx, kill.weapon, x, middle - (GLYPH * scale) / 2, GLYPH * scale);
    },
  };
  const marks = killMarks(kill);
  const parts: Part[] = marks.before.map(mark);
  const bot = (player: number): Part[] => (match.players[player]?.isBot === true ? [mark('bot')] : []);
  if (kill.attacker !== null)
    parts.push(...bot(kill.attacker), text(nameOf(kill.attacker), teamText(kill.attackerTeam)));
  if (kill.assister !== null && kill.assister !== kill.attacker) {
    parts.push(text('+', COLOR.muted));
    if (kill.flashAssist) parts.push(mark('flashAssist'));
    parts.push(...bot(kill.assister), text(nameOf(kill.assister), teamText(kill.attackerTeam), longest * 0.6));
  }
  parts.push(weapon, ...marks.after.map(mark), ...bot(kill.victim));
  parts.push(text(nameOf(kill.victim), teamText(kill.victimTeam)));
  return parts;
}

/** Paints the feed at the top right for `tick` of a shot. */
export type Killfeed = (ctx: Context2D, shotIndex: number, tick: number, opacityOf?: PanelOpacity) => void;

interface KillfeedPlace extends Size {
  readonly own: boolean;
  readonly hasHud?: boolean;
}

interface Entry {
  readonly kill: Kill;
  readonly shotIndex: number;
  readonly isOwn: boolean;
  /** The second of the kill in its shot. */
  readonly second: number;
}

/** Seconds of the clip that a kill stays in the game's feed. Our feed keeps its rows to the end of the clip. */
const STAY_SECONDS = 6;
const FADE_SECONDS = 0.5;
/** The distance from the right side of a wide picture. */
const MARGIN = 32;
/**
 * The top of the feed, and its rows before new ones replace the oldest. With a HUD it is between the scoreboard, which
 * the longest names would overlap, and the list of a team.
 */
const ALONE = { top: MARGIN, mostRows: 7 };
const WITH_HUD = { top: 90, mostRows: 5 };

/**
 * Creates the killfeed of a clip. `own` false: like the game, each kill of the match since the shot began, for some
 * seconds. `own` true: all kills of the shot's subject that the clip has shown so far, each once.
 */
export function createKillfeed(
  match: SceneMatch,
  shots: readonly Shot[],
  { own, hasHud = false, ...size }: KillfeedPlace,
): Killfeed {
  const counted = new Set<Kill>();
  const entries = shots.flatMap((shot, shotIndex): Entry[] => {
    const kills = own
      ? shot.kills.filter((kill) => !counted.has(kill))
      : match.kills.filter(({ tick }) => tick >= shot.startTick && tick < shot.endTick);
    for (const kill of kills) counted.add(kill);
    return kills.map((kill) => {
      const second = secondAt(shot, kill.tick, match.tickRate);
      return { kill, shotIndex, isOwn: kill.attacker === shot.subject, second };
    });
  });
  const { scale, safe, isWide } = layoutOf(size);
  const { top, mostRows } = hasHud ? WITH_HUD : ALONE;
  // In other shapes rows end at the safe area, and do not slide in from outside it.
  const right = isWide ? size.width - MARGIN * scale : safe.x + safe.width;
  const rows = new Map<Entry, Canvas>();
  return (ctx, shotIndex, tick, opacityOf = () => 1) => {
    const shot = shots[shotIndex];
    if (shot === undefined) return;
    const now = secondAt(shot, tick, match.tickRate);
    const since = (entry: Entry): number => (entry.shotIndex < shotIndex ? Infinity : now - entry.second);
    const stays = (entry: Entry): boolean =>
      own
        ? entry.shotIndex <= shotIndex && entry.kill.attacker === shot.subject
        : entry.shotIndex === shotIndex && since(entry) < STAY_SECONDS;
    const shown = entries.filter((entry) => stays(entry) && since(entry) >= 0).slice(-mostRows);
    let y = isWide ? top * scale : safe.y;
    for (const entry of shown) {
      const row = kept(rows, entry, () => paintKillfeedRow(match, entry.kill, entry.isOwn, scale, true, safe.width));
      const arrived = easeOut(since(entry) / 0.22);
      const leaving = own ? 0 : smoothstep(STAY_SECONDS - FADE_SECONDS, STAY_SECONDS, since(entry));
      const slide = isWide ? (1 - arrived) * 46 * scale : 0;
      const box = { x: Math.round(right - row.width + slide), y: Math.round(y) };
      ctx.globalAlpha = arrived * (1 - leaving) * opacityOf({ ...box, width: row.width, height: row.height });
      ctx.drawImage(row, box.x, box.y);
      y += (ROW.height + ROW.gap) * scale * (1 - leaving);
    }
    ctx.globalAlpha = 1;
  };
}
