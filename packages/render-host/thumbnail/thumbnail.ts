import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas';
import { THUMBNAIL } from '#domain/picture.ts';
import { type CaptureOptions, COVER } from '#scene/frames/capture-options.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { useHostCanvas } from '../drawing/host-canvas.ts';
import type { FrameSource } from '../frames/frame-source.ts';
import type { Match } from '../match/match.ts';
import { paintCover, paintFeed } from './cover.ts';
import { findHero } from './hero.ts';

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
}

/** The width follows from the clip's ratio. */
const HEIGHT = THUMBNAIL.height;
/** The quality of the JPEG, for which viewers on slow lines wait. */
const JPEG_QUALITY = 82;
const WHOLE = { x: 0, y: 0, size: 1 };
const CONTENT = { full: 'cover', killfeed: 'bare', none: 'plain' } as const;

/** Paints a clip's poster from its best moment. Resolves with JPEG bytes. */
export async function renderThumbnail({ source, match, shots, options, style }: ThumbnailInput): Promise<Uint8Array> {
  useHostCanvas();
  const hero = findHero(match, shots, options.fps);
  const pixels = await source.frame(Math.min(hero.frame, source.frameCount - 1), CONTENT[style]);
  const canvas = reduced(pixels, options.width, options.height, style === 'full' ? COVER : WHOLE);
  const ctx = canvas.getContext('2d');
  const shot = shots[hero.shotIndex];
  if (style === 'full' && shot !== undefined) paintCover(ctx, match, shot, hero, canvas.width);
  if (style !== 'none') paintFeed(ctx, match, hero.kills, canvas.width, style);
  return canvas.encode('jpeg', JPEG_QUALITY);
}

function reduced(pixels: Uint8Array, width: number, height: number, crop: typeof WHOLE): Canvas {
  const frame = createCanvas(width, height);
  const bytes = new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.byteLength);
  frame.getContext('2d').putImageData(new ImageData(bytes, width, height), 0, 0);
  const canvas = createCanvas(Math.round((width * HEIGHT) / height), HEIGHT);
  const ctx = canvas.getContext('2d', { alpha: false });
  ctx.imageSmoothingQuality = 'high';
  const { x, y, size } = crop;
  ctx.drawImage(frame, x * width, y * height, size * width, size * height, 0, 0, canvas.width, canvas.height);
  return canvas;
}
