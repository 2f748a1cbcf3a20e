import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { FONT, font } from '../drawing/fonts/fonts.ts';
import { drawKillMark, type KillMark, killMarks } from '../drawing/kill-marks.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, teamText } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import type { Kill, Match } from '../match/match.ts';

/** A painted row of the killfeed, as wide as its content. */
export interface KillfeedRow {
  readonly canvas: Canvas;
  readonly width: number;
  readonly height: number;
}

/** Row height and the space between rows, in pixels at scale 1. */
export const ROW = { height: 42, gap: 7 };

const NAME_SIZE = 23;
const NAME_WIDTH = 230;
const PADDING = 14;
const GAP = 9;
const GLYPH = 24;
const MARK = 23;

type Part =
  | { readonly kind: 'text'; readonly text: string; readonly color: string; readonly width: number }
  | { readonly kind: 'weapon'; readonly weapon: string; readonly width: number }
  | { readonly kind: 'mark'; readonly mark: KillMark; readonly width: number };

/**
 * Paints one row of a killfeed: attacker (and assister), weapon, how, victim. `isOwn` marks the point-of-view player's
 * kills with a bright frame. `scale` is 1 for a picture 1080 high. Without `hasKillers` the row begins with the weapon.
 */
export function paintKillfeedRow(
  match: Match,
  kill: Kill,
  isOwn: boolean,
  scale: number,
  hasKillers = true,
): KillfeedRow {
  const measure = createCanvas(1, 1).getContext('2d');
  const names = [kill.attacker, kill.assister, kill.victim].map((player) => match.players[player ?? -1]?.name ?? '');
  measure.font = font(FONT.text, NAME_SIZE * scale, drawableName(names.join(' ')));
  const parts = partsOf(match, hasKillers ? kill : { ...kill, attacker: null, assister: null }, measure, scale);
  const gaps = Math.max(parts.length - 1, 0) * GAP * scale;
  const width = Math.ceil(parts.reduce((sum, part) => sum + part.width, 0) + gaps + 2 * PADDING * scale);
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
  let x = PADDING * scale;
  for (const part of parts) {
    paintPart(ctx, part, x, height, scale);
    x += part.width + GAP * scale;
  }
  return { canvas, width, height };
}

function partsOf(match: Match, kill: Kill, measure: SKRSContext2D, scale: number): Part[] {
  const nameOf = (player: number): string => drawableName(match.players[player]?.name ?? '');
  const text = (content: string, color: string, width = NAME_WIDTH): Part => {
    const fitted = fitText(measure, content, width * scale);
    return { kind: 'text', text: fitted, color, width: measure.measureText(fitted).width };
  };
  const mark = (name: KillMark): Part => ({ kind: 'mark', mark: name, width: MARK * scale });
  const marks = killMarks(kill);
  const parts: Part[] = marks.before.map(mark);
  const bot = (player: number): Part[] => (match.players[player]?.isBot === true ? [mark('bot')] : []);
  if (kill.attacker !== null)
    parts.push(...bot(kill.attacker), text(nameOf(kill.attacker), teamText(kill.attackerTeam)));
  if (kill.assister !== null && kill.assister !== kill.attacker) {
    parts.push(text('+', COLOR.muted));
    if (kill.flashAssist) parts.push(mark('flashAssist'));
    parts.push(...bot(kill.assister), text(nameOf(kill.assister), teamText(kill.attackerTeam), NAME_WIDTH * 0.6));
  }
  parts.push({ kind: 'weapon', weapon: kill.weapon, width: weaponGlyphWidth(kill.weapon, GLYPH * scale) });
  parts.push(...marks.after.map(mark), ...bot(kill.victim));
  parts.push(text(nameOf(kill.victim), teamText(kill.victimTeam)));
  return parts;
}

function paintPart(ctx: SKRSContext2D, part: Part, x: number, height: number, scale: number): void {
  switch (part.kind) {
    case 'text':
      ctx.fillStyle = part.color;
      ctx.textBaseline = 'alphabetic';
      ctx.fillText(part.text, x, height / 2 + NAME_SIZE * scale * 0.36);
      return;
    case 'weapon':
      ctx.fillStyle = COLOR.ink;
      drawWeaponGlyph(ctx, part.weapon, x, (height - GLYPH * scale) / 2, GLYPH * scale);
      return;
    case 'mark':
      drawKillMark(ctx, part.mark, x, (height - MARK * scale) / 2, MARK * scale, COLOR.ink);
      return;
  }
}
