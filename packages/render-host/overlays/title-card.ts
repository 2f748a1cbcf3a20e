import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { mapName } from '#domain/map-name.ts';
import { weaponName } from '#domain/weapon-names.ts';
import { easeOut, pulse } from '../drawing/ease.ts';
import { FONT, font } from '../drawing/fonts/fonts.ts';
import type { PanelOpacity } from '../drawing/panel-box.ts';
import { drawableName } from '../drawing/text.ts';
import { COLOR, teamColor, withAlpha } from '../drawing/theme.ts';
import type { Match } from '../match/match.ts';
import type { Shot } from '../plan/shot.ts';
import { shownKills } from '../plan/shown-kills.ts';

export interface TitleCards {
  /** Paints the shot's card at the lower left, above the player's panel, while it is visible. */
  paint(
    ctx: SKRSContext2D,
    shotIndex: number,
    sinceShotStart: number,
    shotSeconds: number,
    opacityOf: PanelOpacity,
  ): void;
}

const SHOWN_SECONDS = 3.2;
const BOX = { width: 620, height: 150 };
/** The part of it that has text. */
const TEXT = { top: 36, bottom: 118, right: 420 };
/** The distances from the left and lower edges of the picture. */
const MARGIN = { left: 24, bottom: 116 };

/** Creates the titles: where and which kill, at the start of each shot, for a short time. A panel names the player. */
export function createTitleCards(
  match: Match,
  shots: readonly Shot[],
  { height, scale }: { readonly height: number; readonly scale: number },
): TitleCards {
  const cards = new Map<number, Canvas>();
  return {
    paint(ctx, shotIndex, sinceShotStart, shotSeconds, opacityOf) {
      const length = Math.min(SHOWN_SECONDS, shotSeconds * 0.8);
      const alpha = pulse(sinceShotStart + 0.12, length, 0.4, 0.5);
      if (alpha <= 0) return;
      let card = cards.get(shotIndex);
      if (card === undefined) {
        card = paintCard(match, shots, shotIndex, scale);
        cards.set(shotIndex, card);
      }
      const slide = (1 - easeOut((sinceShotStart + 0.12) / 0.5)) * 40 * scale;
      const y = height - (BOX.height + MARGIN.bottom) * scale;
      const text = { y: y + TEXT.top * scale, height: (TEXT.bottom - TEXT.top) * scale };
      ctx.globalAlpha = alpha * opacityOf({ x: 0, width: TEXT.right * scale, ...text });
      ctx.drawImage(card, -slide, y);
      ctx.globalAlpha = 1;
    },
  };
}

function paintCard(match: Match, shots: readonly Shot[], shotIndex: number, scale: number): Canvas {
  const canvas = createCanvas(Math.ceil(BOX.width * scale), Math.ceil(BOX.height * scale));
  const shot = shots[shotIndex];
  if (shot === undefined) return canvas;
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  paintShade(ctx);
  ctx.fillStyle = teamColor(shot.kills[0]?.attackerTeam ?? null);
  ctx.fillRect(MARGIN.left + 10, TEXT.top, 6, TEXT.bottom - TEXT.top);
  const left = MARGIN.left + 38;
  ctx.textBaseline = 'alphabetic';
  const over = killsLabel(shots, shotIndex);
  if (over !== null) {
    ctx.font = font(FONT.display, 40);
    ctx.letterSpacing = '2px';
    ctx.fillStyle = COLOR.accent;
    ctx.fillText(over, left, 66);
    ctx.letterSpacing = '0px';
  }
  const place = placeLabel(match, shot);
  ctx.font = font(FONT.text, 32, place);
  ctx.fillStyle = '#b9c6d2';
  ctx.fillText(place, left, over === null ? 88 : 110);
  return canvas;
}

/** Paints a shade behind the text: strong at the left edge, fading to the right, above and below. */
function paintShade(ctx: SKRSContext2D): void {
  const across = ctx.createLinearGradient(0, 0, BOX.width, 0);
  across.addColorStop(0, withAlpha(COLOR.background, 0.94));
  across.addColorStop(0.45, withAlpha(COLOR.background, 0.7));
  across.addColorStop(1, withAlpha(COLOR.background, 0));
  ctx.fillStyle = across;
  ctx.fillRect(0, 0, BOX.width, BOX.height);
  const down = ctx.createLinearGradient(0, 0, 0, BOX.height);
  down.addColorStop(0, 'rgba(0, 0, 0, 0)');
  down.addColorStop(0.24, 'rgba(0, 0, 0, 1)');
  down.addColorStop(0.76, 'rgba(0, 0, 0, 1)');
  down.addColorStop(1, 'rgba(0, 0, 0, 0)');
  ctx.globalCompositeOperation = 'destination-in';
  ctx.fillStyle = down;
  ctx.fillRect(0, 0, BOX.width, BOX.height);
  ctx.globalCompositeOperation = 'source-over';
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

/** Returns `Dust II · Round 7`. */
function placeLabel(match: Match, shot: Shot): string {
  const map = mapName(drawableName(match.map));
  return shot.round === null ? map : `${map}  ·  Round ${shot.round}`;
}
