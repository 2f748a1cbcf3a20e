import { createCanvas } from '@napi-rs/canvas';
import { type ClipFacts, clipHeadline } from '#domain/clip/clip-title.ts';
import { mapName } from '#domain/clip/names.ts';
import { FONT, font } from '#scene/drawing/fonts.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import { drawableLine, fitText } from '#scene/drawing/text.ts';
import { COLOR, smoothstep } from '#scene/drawing/theme.ts';
import { useHostCanvas } from '../drawing/host-canvas.ts';
import type { FrameSource } from '../frames/frame-source.ts';

/** A card as it is shown. */
export interface Still {
  /** RGBA, as large as a frame. */
  readonly pixels: Uint8Array;
  readonly frames: number;
}

export const CARD_BACKGROUND: string = COLOR.background;
/** Seconds of the fades from and to the background. */
const FADE_SECONDS = 0.4;

/** Returns the frames of a source with stills before and after them. `frame` has the source's alone. */
export function withCards(
  source: FrameSource,
  { before, after }: { readonly before: readonly Still[]; readonly after: readonly Still[] },
  fps: number,
): FrameSource {
  function* shown(stills: readonly Still[], signal: AbortSignal): Generator<Uint8Array> {
    for (const { pixels, frames } of stills) {
      const frame = new Uint8Array(pixels.length);
      for (let i = 0; i < frames && !signal.aborted; i++) {
        // Never the empty background alone, which looks like a fault at a join.
        fadeTo(frame, pixels, smoothstep(0, FADE_SECONDS * fps + 1, Math.min(i + 1, frames - i)));
        yield frame;
      }
    }
  }
  return {
    frameCount: [...before, ...after].reduce((sum, { frames }) => sum + frames, source.frameCount),
    async *frames(signal) {
      yield* shown(before, signal);
      yield* source.frames(signal);
      yield* shown(after, signal);
    },
    frame: (index, content) => source.frame(index, content),
  };
}

/** Red, green and blue. */
const BACKGROUND = [1, 3, 5].map((at) => Number.parseInt(CARD_BACKGROUND.slice(at, at + 2), 16));

/** Writes a still that is visible at a level of 0 to 1 over the background. */
function fadeTo(frame: Uint8Array, pixels: Uint8Array, level: number): void {
  frame.set(pixels);
  for (const [channel, ground] of level < 1 ? BACKGROUND.entries() : []) {
    for (let i = channel; i < frame.length; i += 4) frame[i] = ground + ((pixels[i] ?? 0) - ground) * level;
  }
}

/** Sizes at scale 1, the width at 16:9. Text wider than this is shrunk to the smallest size, then cut. */
const TITLE = { largest: 112, smallest: 52, width: 1600, place: 44 };

/** Paints a title card: what happens in the clip, the map and the round. */
export function paintTitleStill(facts: ClipFacts, width: number, height: number): Uint8Array {
  useHostCanvas();
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.fillStyle = CARD_BACKGROUND;
  ctx.fillRect(0, 0, width, height);
  const { scale, safe, isWide } = layoutOf({ width, height });
  ctx.scale(scale, scale);
  const most = isWide ? TITLE.width : safe.width / scale;
  const middle = (safe.x + safe.width / 2) / scale;
  ctx.translate(0, (safe.y + safe.height / 2) / scale - 540);
  ctx.textAlign = 'center';
  const headline = drawableLine(clipHeadline(facts));
  ctx.font = font(FONT.display, TITLE.largest, headline);
  const fitting = (TITLE.largest * most) / ctx.measureText(headline).width;
  ctx.font = font(FONT.display, Math.min(TITLE.largest, Math.max(TITLE.smallest, fitting)), headline);
  ctx.fillStyle = COLOR.ink;
  ctx.fillText(fitText(ctx, headline, most), middle, 540);
  ctx.fillStyle = COLOR.accent;
  ctx.fillRect(middle - 60, 588, 120, 8);
  const place = drawableLine(mapName(facts.map)) + (facts.round === null ? '' : `  ·  Round ${facts.round}`);
  ctx.font = font(FONT.text, TITLE.place, place);
  ctx.fillStyle = COLOR.soft;
  ctx.fillText(fitText(ctx, place, most), middle, 672);
  return Uint8Array.from(canvas.data());
}
