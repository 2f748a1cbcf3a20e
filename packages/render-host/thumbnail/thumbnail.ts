import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { mapName } from '#domain/clip/names.ts';
import { roundAt } from '#domain/clip/plan/match.ts';
import { aspectOf, PLAY_BUTTON, type Size, thumbnailSize } from '#domain/clip/render-order.ts';
import type { Context2D } from '#scene/drawing/canvas.ts';
import { FONT, font } from '#scene/drawing/fonts.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import { drawableLine, drawableName, fitText } from '#scene/drawing/text.ts';
import { COLOR, fading, teamColor } from '#scene/drawing/theme.ts';
import { type CaptureOptions, COVER } from '#scene/frames/clip-clock.ts';
import { sideAt } from '#scene/match/match.ts';
import { outfitAt, placeName } from '#scene/match/player-state.ts';
import { paintKillfeedRow, ROW } from '#scene/overlays/killfeed.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { useHostCanvas } from '../drawing/host-canvas.ts';
import type { FrameSource } from '../frames/frame-source.ts';
import type { Kill, Match, PlayerIndex, Round, Team } from '../match/match.ts';
import { findHero, type Hero, heroLabel } from './hero.ts';

const LEFT = 56;
/**
 * The title: its distance from the lower edge, the height of letters as a part of their size, and the space that it
 * leaves around the play button.
 */
const TITLE = { bottom: 166, largest: 250, capital: 0.73, clear: 16 };
/** The parts of the width that text may fill: at 16:9, where the action is right of it, and in other shapes. */
const TEXT_WIDTH = { wide: 0.56, narrow: 0.86 };
const FEED = { margin: 30, maxRows: 5 };

/**
 * Paints the cover for a picture that may be 160 pixels wide in a chat: the number of kills in the largest letters, the
 * player, then map, round and score. The title is beside the play button that pages put over the picture, or below it.
 */
function paintCover(ctx: SKRSContext2D, match: Match, shot: Shot, hero: Hero, { width, height }: Size): void {
  const { kills } = hero;
  const textWidth = width * (layoutOf({ width, height }).isWide ? TEXT_WIDTH.wide : TEXT_WIDTH.narrow);
  const baseline = height - TITLE.bottom;
  const color = teamColor(hero.kill?.attackerTeam ?? null);
  paintGradient(ctx, { width, height }, color);
  const label = heroLabel(match, kills);
  const button = (PLAY_BUTTON * width) / 2 + TITLE.clear;
  const beside = fittedSize(ctx, label, TITLE.largest, width / 2 - button - LEFT);
  const low = (baseline - height / 2 - button) / TITLE.capital;
  const labelSize = Math.max(beside, fittedSize(ctx, label, Math.min(low, TITLE.largest), textWidth));
  ctx.font = font(FONT.display, labelSize);
  ctx.textBaseline = 'alphabetic';
  ctx.letterSpacing = `${(-labelSize * 0.03).toFixed(1)}px`;
  // Letters this tight would close the gaps between words.
  ctx.wordSpacing = `${(labelSize * 0.14).toFixed(1)}px`;
  const sheen = ctx.createLinearGradient(0, baseline - labelSize * 0.75, 0, baseline);
  sheen.addColorStop(0, '#ffffff');
  sheen.addColorStop(1, '#c9d4de');
  ctx.fillStyle = sheen;
  ctx.fillText(label, LEFT - labelSize * 0.05, baseline);
  ctx.letterSpacing = '0px';
  ctx.wordSpacing = '0px';
  ctx.fillStyle = color;
  ctx.fillRect(LEFT, height - 140, 10, 112);
  const name = drawableName(match.players[shot.subject]?.name ?? '');
  ctx.font = font(FONT.display, Math.max(fittedSize(ctx, name, 76, textWidth - 34), 56), name);
  ctx.fillStyle = COLOR.ink;
  ctx.fillText(fitText(ctx, name, textWidth - 34), LEFT + 34, height - 86);
  const where = subtitle(match, shot.subject, hero);
  ctx.font = font(FONT.text, 38, where);
  ctx.fillStyle = COLOR.soft;
  ctx.fillText(fitText(ctx, where, textWidth - 35), LEFT + 35, height - 32);
}

/** Returns `Long Hall · Round 7 · 4–2 · Italy`: the score before the round, the player's side first. */
function subtitle(match: Match, subject: PlayerIndex, { kill, tick }: Hero): string {
  const place = kill === null ? '' : placeName(outfitAt(match, subject, kill.tick)?.place ?? '');
  const number = kill?.round ?? roundAt(match, tick)?.number ?? null;
  const round = match.rounds.find((one) => one.number === number) ?? null;
  const side = kill?.attackerTeam ?? sideAt(match.tracks, subject, Math.floor(tick));
  const parts = [drawableLine(place), number === null ? '' : `Round ${number}`, scoreBefore(round, side)];
  return [...parts, mapName(drawableName(match.map))].filter((part) => part !== '').join('  ·  ');
}

function scoreBefore(round: Round | null, side: Team | null): string {
  if (round?.score == null || side === null) return '';
  const { score, winner } = round;
  const before = (team: Team): number => score[team] - (team === winner ? 1 : 0);
  return `${before(side)}–${before(side === 'T' ? 'CT' : 'T')}`;
}

function paintGradient(ctx: SKRSContext2D, { width, height }: Size, color: string): void {
  const across = ctx.createLinearGradient(0, height, width * 0.62, height * 0.28);
  ctx.fillStyle = fading(across, COLOR.background, [0, 0.97], [0.55, 0.9], [1, 0]);
  ctx.fillRect(0, 0, width, height);
  const tint = ctx.createRadialGradient(0, height, 0, 0, height, width * 0.62);
  ctx.fillStyle = fading(tint, color, [0, 0.34], [1, 0]);
  ctx.fillRect(0, 0, width, height);
}

function fittedSize(ctx: SKRSContext2D, text: string, size: number, maxWidth: number): number {
  ctx.font = font(FONT.display, size, text);
  const { width } = ctx.measureText(text);
  return width <= maxWidth ? size : (size * maxWidth) / width;
}

/** Paints the hero's kills as rows of a killfeed at the top right; the last ones if there are many. */
function paintFeed(
  ctx: Context2D,
  match: Match,
  kills: readonly Kill[],
  width: number,
  style: 'full' | 'killfeed',
): void {
  const scale = style === 'full' ? 1 : 0.87;
  let y = FEED.margin;
  for (const kill of kills.slice(-FEED.maxRows)) {
    const row = paintKillfeedRow(match, kill, true, scale, style === 'killfeed', width - 2 * FEED.margin);
    ctx.drawImage(row, width - FEED.margin - row.width, y);
    y += (ROW.height + ROW.gap) * scale;
  }
}

export interface ThumbnailInput {
  readonly source: FrameSource;
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  /**
   * `full`: cover and killfeed. `killfeed`: the killfeed on the bare frame. `none`: a frame of the clip without titles
   * and the darkness of cuts.
   */
  readonly style: 'full' | 'killfeed' | 'none';
  /** The tick to show if a shot has it. */
  readonly tick?: number | undefined;
}

/** The quality of the JPEG, for which viewers on slow lines wait. */
const JPEG_QUALITY = 82;
const WHOLE = { x: 0, y: 0, size: 1 };
const CONTENT = { full: 'cover', killfeed: 'bare', none: 'plain' } as const;

/** Paints a clip's poster from its best moment, or from a tick. Resolves with JPEG bytes. */
export async function renderThumbnail(input: ThumbnailInput): Promise<Uint8Array> {
  const { source, match, shots, options, style, tick } = input;
  useHostCanvas();
  const hero = findHero(match, shots, options.fps, tick);
  const pixels = await source.frame(Math.min(hero.frame, source.frameCount - 1), CONTENT[style]);
  const canvas = reduced(pixels, options.width, options.height, style === 'full' ? COVER : WHOLE);
  const ctx = canvas.getContext('2d');
  const shot = shots[hero.shotIndex];
  if (style === 'full' && shot !== undefined) paintCover(ctx, match, shot, hero, canvas);
  if (style !== 'none') paintFeed(ctx, match, hero.kills, canvas.width, style);
  return canvas.encode('jpeg', JPEG_QUALITY);
}

function reduced(pixels: Uint8Array, width: number, height: number, crop: typeof WHOLE): Canvas {
  const frame = createCanvas(width, height);
  const bytes = new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.byteLength);
  frame.getContext('2d').putImageData(new ImageData(bytes, width, height), 0, 0);
  const small = thumbnailSize(aspectOf({ width, height }));
  const canvas = createCanvas(small.width, small.height);
  const ctx = canvas.getContext('2d', { alpha: false });
  ctx.imageSmoothingQuality = 'high';
  const { x, y, size } = crop;
  ctx.drawImage(frame, x * width, y * height, size * width, size * height, 0, 0, canvas.width, canvas.height);
  return canvas;
}
