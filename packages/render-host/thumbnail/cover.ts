import type { SKRSContext2D } from '@napi-rs/canvas';
import { mapName } from '#domain/clip-title.ts';
import { THUMBNAIL } from '#domain/picture.ts';
import { roundAt } from '#domain/plan/round-at.ts';
import { FONT, font } from '../drawing/fonts/fonts.ts';
import { drawableLine, drawableName, fitText } from '../drawing/text.ts';
import { COLOR, teamColor, withAlpha } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import { weaponName } from '../drawing/weapon-names.ts';
import type { Kill, Match, PlayerIndex, Round, Team } from '../match/match.ts';
import { outfitAt, placeName } from '../match/outfit-at.ts';
import { sideAt } from '../match/sides.ts';
import { paintKillfeedRow, ROW } from '../overlays/killfeed-row.ts';
import type { Shot } from '../plan/shot.ts';
import { type Hero, heroLabel } from './hero.ts';

/** Sizes are pixels of a picture of this height. */
const HEIGHT = THUMBNAIL.height;
const LEFT = 56;
const MOST_WEAPONS = 3;
const FEED = { margin: 30, maxRows: 5 };

/**
 * Paints the cover for a picture that may be 160 pixels wide in a chat: the number of kills in the largest letters, the
 * player, then map, round and score, with the weapons in the lower right corner.
 */
export function paintCover(ctx: SKRSContext2D, match: Match, shot: Shot, hero: Hero, width: number): void {
  const { kills } = hero;
  const color = teamColor(hero.kill?.attackerTeam ?? null);
  paintGradient(ctx, width, color);
  const label = heroLabel(match, kills);
  const labelSize = fittedSize(ctx, label, 250, width * 0.66);
  ctx.font = font(FONT.display, labelSize);
  ctx.textBaseline = 'alphabetic';
  ctx.letterSpacing = `${(-labelSize * 0.03).toFixed(1)}px`;
  // Letters this tight would close the gaps between words.
  ctx.wordSpacing = `${(labelSize * 0.14).toFixed(1)}px`;
  const baseline = HEIGHT - 226;
  const sheen = ctx.createLinearGradient(0, baseline - labelSize * 0.75, 0, baseline);
  sheen.addColorStop(0, '#ffffff');
  sheen.addColorStop(1, '#c9d4de');
  ctx.fillStyle = sheen;
  ctx.fillText(label, LEFT - labelSize * 0.05, baseline);
  ctx.letterSpacing = '0px';
  ctx.wordSpacing = '0px';
  ctx.fillStyle = color;
  ctx.fillRect(LEFT, HEIGHT - 190, 10, 136);
  const name = drawableName(match.players[shot.pov]?.name ?? '');
  ctx.font = font(FONT.display, Math.max(fittedSize(ctx, name, 92, width * 0.56), 64), name);
  ctx.fillStyle = COLOR.ink;
  ctx.fillText(fitText(ctx, name, width * 0.56), LEFT + 34, HEIGHT - 118);
  const where = subtitle(match, shot.pov, hero);
  ctx.font = font(FONT.text, 44, where);
  ctx.fillStyle = '#c3ced9';
  ctx.fillText(fitText(ctx, where, width * 0.62), LEFT + 35, HEIGHT - 58);
  paintCornerShade(ctx, width);
  paintWeapons(ctx, kills, width);
}

/** Returns `Long Hall · Round 7 · 4–2 · Italy`: the score before the round, the player's side first. */
function subtitle(match: Match, pov: PlayerIndex, { kill, tick }: Hero): string {
  const place = kill === null ? '' : placeName(outfitAt(match, pov, kill.tick)?.place ?? '');
  const number = kill?.round ?? roundAt(match, tick)?.number ?? null;
  const round = match.rounds.find((one) => one.number === number) ?? null;
  const side = kill?.attackerTeam ?? sideAt(match.tracks, pov, Math.floor(tick));
  const parts = [drawableLine(place), number === null ? '' : `Round ${number}`, scoreBefore(round, side)];
  return [...parts, mapName(drawableName(match.map))].filter((part) => part !== '').join('  ·  ');
}

function scoreBefore(round: Round | null, side: Team | null): string {
  if (round?.score == null || side === null) return '';
  const { score, winner } = round;
  const before = (team: Team): number => score[team] - (team === winner ? 1 : 0);
  return `${before(side)}–${before(side === 'T' ? 'CT' : 'T')}`;
}

function paintGradient(ctx: SKRSContext2D, width: number, color: string): void {
  const across = ctx.createLinearGradient(0, HEIGHT, width * 0.62, HEIGHT * 0.28);
  across.addColorStop(0, withAlpha(COLOR.background, 0.97));
  across.addColorStop(0.45, withAlpha(COLOR.background, 0.72));
  across.addColorStop(1, withAlpha(COLOR.background, 0));
  ctx.fillStyle = across;
  ctx.fillRect(0, 0, width, HEIGHT);
  const tint = ctx.createRadialGradient(0, HEIGHT, 0, 0, HEIGHT, width * 0.62);
  tint.addColorStop(0, withAlpha(color, 0.34));
  tint.addColorStop(1, withAlpha(color, 0));
  ctx.fillStyle = tint;
  ctx.fillRect(0, 0, width, HEIGHT);
}

/** Paints a shade in the lower right corner, under the weapons. */
function paintCornerShade(ctx: SKRSContext2D, width: number): void {
  const corner = ctx.createRadialGradient(width, HEIGHT, 0, width, HEIGHT, 460);
  corner.addColorStop(0, withAlpha(COLOR.background, 0.9));
  corner.addColorStop(0.5, withAlpha(COLOR.background, 0.6));
  corner.addColorStop(1, withAlpha(COLOR.background, 0));
  ctx.fillStyle = corner;
  ctx.fillRect(width - 460, HEIGHT - 460, 460, 460);
}

/** Paints the weapons of the kills, each once, the last one lowest. */
function paintWeapons(ctx: SKRSContext2D, kills: readonly Kill[], width: number): void {
  const weapons = [...new Set(kills.map(({ weapon }) => weapon))].slice(-MOST_WEAPONS);
  const right = width - LEFT;
  ctx.textAlign = 'right';
  for (const [at, weapon] of weapons.toReversed().entries()) {
    const height = at === 0 ? 100 : 54;
    const top = at === 0 ? HEIGHT - 216 : HEIGHT - 216 - at * 76;
    ctx.fillStyle = withAlpha(COLOR.ink, at === 0 ? 0.96 : 0.7);
    drawWeaponGlyph(ctx, weapon, right - weaponGlyphWidth(weapon, height), top, height);
    if (at > 0) continue;
    ctx.font = font(FONT.text, 40);
    ctx.fillStyle = '#c3ced9';
    ctx.fillText(weaponName(weapon), right, HEIGHT - 58);
  }
  ctx.textAlign = 'left';
}

function fittedSize(ctx: SKRSContext2D, text: string, size: number, maxWidth: number): number {
  ctx.font = font(FONT.display, size, text);
  const { width } = ctx.measureText(text);
  return width <= maxWidth ? size : (size * maxWidth) / width;
}

/** Paints the hero's kills as rows of a killfeed at the top right; the last ones if there are many. */
export function paintFeed(ctx: SKRSContext2D, match: Match, kills: readonly Kill[], width: number, size: number): void {
  const scale = size * (2 / 3);
  let y = FEED.margin;
  for (const kill of kills.slice(-FEED.maxRows)) {
    const row = paintKillfeedRow(match, kill, true, scale);
    ctx.drawImage(row.canvas, width - FEED.margin - row.width, y);
    y += (ROW.height + ROW.gap) * scale;
  }
}
