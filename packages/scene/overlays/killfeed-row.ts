import { type Canvas, type Context2D, createCanvas } from '../canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { drawKillMark, type KillMark, killMarks } from '../drawing/kill-marks.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, teamText } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import type { Kill, SceneMatch } from '../match/match.ts';

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
 * kills with a bright frame. `scale` is 1 for a picture 1080 high. Without `hasKillers` the row begins with the weapon.
 */
export function paintKillfeedRow(
  match: SceneMatch,
  kill: Kill,
  isOwn: boolean,
  scale: number,
  hasKillers = true,
): Canvas {
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
  ctx.textBaseline = 'alphabetic';
  let x = PADDING * scale;
  for (const part of parts) {
    part.paint(ctx, x, height / 2);
    x += part.width + GAP * scale;
  }
  return canvas;
}

function partsOf(match: SceneMatch, kill: Kill, measure: Context2D, scale: number): Part[] {
  const nameOf = (player: number): string => drawableName(match.players[player]?.name ?? '');
  const text = (content: string, color: string, width = NAME_WIDTH): Part => {
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
    parts.push(...bot(kill.assister), text(nameOf(kill.assister), teamText(kill.attackerTeam), NAME_WIDTH * 0.6));
  }
  parts.push(weapon, ...marks.after.map(mark), ...bot(kill.victim));
  parts.push(text(nameOf(kill.victim), teamText(kill.victimTeam)));
  return parts;
}
