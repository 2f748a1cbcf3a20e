import { mapName, weaponName } from '#domain/clip/names.ts';
import { type Canvas, type Context2D, createCanvas } from '../drawing/canvas.ts';
import { FONT, font } from '../drawing/fonts.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, easeOut, kept, type PanelOpacity, panelBox, pulse, teamColor } from '../drawing/theme.ts';
import type { SceneMatch } from '../match/match.ts';
import { type Shot, shownKills } from '../plan/shot.ts';

/** Paints the shot's card at the lower left, above the player's panel, while it is visible. */
type TitleCards = (
  ctx: Context2D,
  shotIndex: number,
  sinceShotStart: number,
  shotSeconds: number,
  opacityOf: PanelOpacity,
) => void;

const SHOWN_SECONDS = 3.2;
/** Sizes at scale 1: the card's distances from the left and lower edges of the picture, and its longest text. */
const MARGIN = { left: 24, bottom: 134 };
const TEXT_WIDTH = 480;

/** Creates the titles: where and which kill, at the start of each shot, for a short time. A panel names the player. */
export function createTitleCards(
  match: SceneMatch,
  shots: readonly Shot[],
  { height, scale }: { readonly height: number; readonly scale: number },
): TitleCards {
  const cards = new Map<number, Canvas>();
  return (ctx, shotIndex, sinceShotStart, shotSeconds, opacityOf) => {
    const length = Math.min(SHOWN_SECONDS, shotSeconds * 0.8);
    const alpha = pulse(sinceShotStart + 0.12, length, 0.4, 0.5);
    if (alpha <= 0) return;
    const card = kept(cards, shotIndex, () => paintCard(match, shots, shotIndex, scale));
    const slide = (1 - easeOut((sinceShotStart + 0.12) / 0.5)) * 40 * scale;
    const box = { x: MARGIN.left * scale, y: height - MARGIN.bottom * scale - card.height };
    ctx.globalAlpha = alpha * opacityOf({ ...box, width: card.width, height: card.height });
    ctx.drawImage(card, Math.round(box.x - slide), Math.round(box.y));
    ctx.globalAlpha = 1;
  };
}

function paintCard(match: SceneMatch, shots: readonly Shot[], shotIndex: number, scale: number): Canvas {
  const shot = shots[shotIndex];
  const over = killsLabel(shots, shotIndex);
  const measure = createCanvas(1, 1).getContext('2d');
  measure.font = font(FONT.display, 40);
  const overWidth = over === null ? 0 : measure.measureText(over).width;
  const round = typeof shot?.round === 'number' ? `  ·  Round ${shot.round}` : '';
  const place = shot === undefined ? '' : mapName(drawableName(match.map)) + round;
  measure.font = font(FONT.text, 32, place);
  const shown = fitText(measure, place, TEXT_WIDTH);
  const width = Math.max(overWidth, measure.measureText(shown).width) + 50;
  const height = over === null ? 60 : 110;
  const canvas = createCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  panelBox(ctx, 0, width, height);
  ctx.fillStyle = teamColor(shot?.kills[0]?.attackerTeam ?? null);
  ctx.fillRect(10, 12, 5, height - 24);
  ctx.font = measure.font;
  ctx.fillStyle = COLOR.soft;
  ctx.fillText(shown, 26, height - 19);
  if (over === null) return canvas;
  ctx.font = font(FONT.display, 40);
  ctx.fillStyle = COLOR.accent;
  ctx.fillText(over, 26, 49);
  return canvas;
}

/**
 * Returns the label of a shot's kills: `KILL 2 OF 5`; `KILLS 2–4 OF 5`; `2 OF 5 KILLS` if their numbers do not follow
 * each other; `5 KILLS` for all kills of the clip; the weapon for the only kill of the clip (`AWP HEADSHOT`); null for
 * a shot without a kill.
 */
export function killsLabel(shots: readonly Shot[], shotIndex: number): string | null {
  const kills = shots[shotIndex]?.kills ?? [];
  const [only] = kills;
  if (only === undefined) return null;
  const all = shownKills(shots);
  const [count, total] = [kills.length, all.length];
  if (total === 1) return `${weaponName(only.weapon)} ${only.headshot ? 'headshot' : 'kill'}`.toUpperCase();
  if (count === total) return `${total} KILLS`;
  const numbers = kills.map((kill) => all.indexOf(kill) + 1);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (last - first >= count) return `${count} OF ${total} KILLS`;
  return count === 1 ? `KILL ${first} OF ${total}` : `KILLS ${first}–${last} OF ${total}`;
}
