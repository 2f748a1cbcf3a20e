import type { SKRSContext2D } from '@napi-rs/canvas';
import { mapName } from '../../domain/clip-title.ts';
import { THUMBNAIL } from '../../domain/picture.ts';
import { FONT, font } from '../drawing/fonts/fonts.ts';
import { drawableName, fitText } from '../drawing/text.ts';
import { COLOR, teamColor, withAlpha } from '../drawing/theme.ts';
import { drawWeaponGlyph, weaponGlyphWidth } from '../drawing/weapon-glyphs.ts';
import { weaponName } from '../drawing/weapon-names.ts';
import type { Kill, Match } from '../match/match.ts';
import { paintKillfeedRow, ROW } from '../overlays/killfeed-row.ts';
import type { Shot } from '../plan/shot.ts';
import { type Hero, heroLabel } from './hero.ts';

/** All sizes here are pixels of a picture as high as this. */
const HEIGHT = THUMBNAIL.height;
const LEFT = 56;
const FEED = { margin: 30, maxRows: 5 };

/** The cover art: a dark gradient that carries the hero label, who it was, and where; a bar in his team's colour. */
export function paintCover(ctx: SKRSContext2D, match: Match, shot: Shot, hero: Hero, width: number): void {
  const { kill, kills } = hero;
  const color = teamColor(kill?.attackerTeam ?? null);
  paintGradient(ctx, width, color);
  const label = heroLabel(match, kills);
  const labelSize = fittedSize(ctx, label, 232, width * 0.62);
  ctx.font = font(FONT.display, labelSize);
  ctx.textBaseline = 'alphabetic';
  ctx.letterSpacing = `${(-labelSize * 0.03).toFixed(1)}px`;
  // Letters this tight would close the gap between words.
  ctx.wordSpacing = `${(labelSize * 0.14).toFixed(1)}px`;
  const baseline = HEIGHT - 196;
  const sheen = ctx.createLinearGradient(0, baseline - labelSize * 0.75, 0, baseline);
  sheen.addColorStop(0, '#ffffff');
  sheen.addColorStop(1, '#c9d4de');
  ctx.fillStyle = sheen;
  ctx.fillText(label, LEFT - labelSize * 0.05, baseline);
  ctx.letterSpacing = '0px';
  ctx.wordSpacing = '0px';
  ctx.fillStyle = color;
  ctx.fillRect(LEFT, HEIGHT - 158, 8, 104);
  ctx.font = font(FONT.display, 60);
  ctx.fillStyle = COLOR.ink;
  ctx.fillText(fitText(ctx, drawableName(match.players[shot.pov]?.name ?? ''), width * 0.6), LEFT + 30, HEIGHT - 106);
  ctx.font = font(FONT.text, 36);
  ctx.fillStyle = '#b8c5d1';
  ctx.fillText(fitText(ctx, subtitle(match, kill?.round ?? shot.round), width * 0.5), LEFT + 31, HEIGHT - 60);
  paintCornerShade(ctx, width);
  if (kill !== null) paintWeapon(ctx, kill.weapon, width);
}

function subtitle(match: Match, round: number | null): string {
  const map = mapName(drawableName(match.map));
  return round === null ? map : `Round ${round}  ·  ${map}`;
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

/** Darkness in the lower right corner, under the weapon. */
function paintCornerShade(ctx: SKRSContext2D, width: number): void {
  const corner = ctx.createRadialGradient(width, HEIGHT, 0, width, HEIGHT, 460);
  corner.addColorStop(0, withAlpha(COLOR.background, 0.9));
  corner.addColorStop(0.5, withAlpha(COLOR.background, 0.6));
  corner.addColorStop(1, withAlpha(COLOR.background, 0));
  ctx.fillStyle = corner;
  ctx.fillRect(width - 460, HEIGHT - 460, 460, 460);
}

function paintWeapon(ctx: SKRSContext2D, weapon: string, width: number): void {
  const height = 66;
  const right = width - LEFT;
  ctx.fillStyle = withAlpha(COLOR.ink, 0.94);
  drawWeaponGlyph(ctx, weapon, right - weaponGlyphWidth(weapon, height), HEIGHT - 168, height);
  ctx.font = font(FONT.text, 30);
  ctx.textAlign = 'right';
  ctx.fillStyle = '#b8c5d1';
  ctx.fillText(weaponName(weapon), right, HEIGHT - 60);
  ctx.textAlign = 'left';
}

function fittedSize(ctx: SKRSContext2D, text: string, size: number, maxWidth: number): number {
  ctx.font = font(FONT.display, size);
  const { width } = ctx.measureText(text);
  return width <= maxWidth ? size : (size * maxWidth) / width;
}

/** The hero's kills as killfeed rows at the top right, the last ones where there are many. */
export function paintFeed(ctx: SKRSContext2D, match: Match, kills: readonly Kill[], width: number, size: number): void {
  const scale = size * (2 / 3);
  let y = FEED.margin;
  for (const kill of kills.slice(-FEED.maxRows)) {
    const row = paintKillfeedRow(match, kill, true, scale);
    ctx.drawImage(row.canvas, width - FEED.margin - row.width, y);
    y += (ROW.height + ROW.gap) * scale;
  }
}
