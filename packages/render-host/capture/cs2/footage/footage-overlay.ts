import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { type CaptureOptions, type FrameContent, isBare } from '#scene/frames/capture-options.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import { createKillfeed } from '#scene/overlays/killfeed.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { copyPixels } from '../../../drawing/canvas-pixels.ts';
import { drawPatch } from '../../../drawing/draw-patch.ts';
import { useHostCanvas } from '../../../drawing/host-canvas.ts';
import type { FrameSource } from '../../../frames/frame-source.ts';
import type { Match } from '../../../match/match.ts';
import { createDamageTicker, TICKER_REACH } from '../../../overlays/damage-ticker.ts';

/** The corner that seven rows of killfeed with long names fill, in pixels at scale 1. */
const FEED = { width: 900, height: 400 };

/**
 * Draws over the footage what the game does not draw: our killfeed and the damage ticker, if the order asks for them.
 * Paints and blends only the part of the frame that they cover, and only while something is visible.
 */
export function withFootageOverlay(
  source: FrameSource,
  match: Match,
  shots: readonly Shot[],
  options: CaptureOptions,
): FrameSource {
  if (!options.ownKillfeed && !options.damageTicker) return source;
  useHostCanvas();
  const { width, height, fps } = options;
  const scale = height / 1080;
  const clock = createClipClock(shots, match.tickRate, fps);
  const ticker = createDamageTicker(match, shots, scale);
  const killfeed = createKillfeed(match, shots, { own: true, width, scale });
  const feed = createWindow(width - Math.ceil(FEED.width * scale), 0, FEED.width * scale, FEED.height * scale);
  const reach = Math.ceil(TICKER_REACH * scale);
  const aim = createWindow(Math.round(width / 2) - reach, Math.round(height / 2) - reach, reach * 2, reach * 2);
  const hasKills = (shotIndex: number, tick: number): boolean =>
    shots.some(({ kills }, i) => i <= shotIndex && kills.some((kill) => i < shotIndex || kill.tick <= tick));

  const paintOver = (frame: Uint8Array, index: number, content: FrameContent): void => {
    const { shotIndex, tick } = clock.at(index);
    if (options.damageTicker && content !== 'cover' && ticker.isShown(shotIndex, tick)) {
      aim(frame, width, (ctx) => {
        ctx.translate(width / 2, height / 2);
        ticker.paint(ctx, shotIndex, tick);
      });
    }
    if (options.ownKillfeed && !isBare(content) && hasKills(shotIndex, tick)) {
      feed(frame, width, (ctx) => killfeed.paint(ctx, shotIndex, tick));
    }
  };
  return {
    frameCount: source.frameCount,
    async *frames(signal) {
      let index = 0;
      for await (const frame of source.frames(signal)) {
        paintOver(frame, index, 'full');
        index++;
        yield frame;
      }
    },
    async frame(index, content = 'full') {
      const frame = await source.frame(index, content);
      paintOver(frame, index, content);
      return frame;
    },
  };
}

/** Creates a part of the frame with its own canvas. Painters use the coordinates of the frame. */
function createWindow(x: number, y: number, width: number, height: number) {
  const canvas: Canvas = createCanvas(Math.ceil(width), Math.ceil(height));
  const ctx = canvas.getContext('2d');
  const pixels = new Uint8Array(canvas.width * canvas.height * 4);
  const patch = { pixels, width: canvas.width, height: canvas.height };
  return (frame: Uint8Array, frameWidth: number, paint: (ctx: SKRSContext2D) => void): void => {
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    ctx.save();
    ctx.translate(-x, -y);
    paint(ctx);
    ctx.restore();
    copyPixels(canvas, pixels);
    drawPatch(patch, frame, frameWidth, x, y);
  };
}
