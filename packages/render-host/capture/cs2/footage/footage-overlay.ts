import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { DAMAGE_SECONDS, flightOf, paintDamageNumber } from '#scene/drawing/kill-marks.ts';
import { layoutOf } from '#scene/drawing/layout.ts';
import { type CaptureOptions, createClipClock, type FrameContent, isBare } from '#scene/frames/clip-clock.ts';
import { createKillfeed } from '#scene/overlays/killfeed.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { copyPixels, drawPatch, useHostCanvas } from '../../../drawing/host-canvas.ts';
import { type FrameSource, paintedOver } from '../../../frames/frame-source.ts';
import type { Hurt, Match } from '../../../match/match.ts';
import { type DecodeInput, decodeFrames, type Footage } from '../recording/footage-files.ts';

/** How far from the crosshair numbers reach, in pixels at scale 1. */
const TICKER_REACH = 220;

interface DamageTicker {
  /** Whether a number is visible at `tick` of a shot. */
  isShown(shotIndex: number, tick: number): boolean;
  /** Paints the numbers of a tick next to the crosshair, which is the context's origin. */
  paint(ctx: SKRSContext2D, shotIndex: number, tick: number): void;
}

const STYLE = { from: 84, flight: 60, size: 34, pop: 12 };

/**
 * Creates the numbers of the damage that the shot's subject deals. They fly off the aim; red for the last hit of
 * a kill.
 */
export function createDamageTicker(match: Match, shots: readonly Shot[], scale: number): DamageTicker {
  const dealt = shots.map(({ subject, startTick, endTick }) =>
    match.hurts.filter(
      ({ attacker, victim, damage, tick }) =>
        attacker === subject && victim !== subject && damage > 0 && tick >= startTick && tick < endTick,
    ),
  );
  const fresh = (shotIndex: number, tick: number): readonly Hurt[] =>
    (dealt[shotIndex] ?? []).filter((hurt) => hurt.tick <= tick && tick - hurt.tick < DAMAGE_SECONDS * match.tickRate);
  return {
    isShown: (shotIndex, tick) => fresh(shotIndex, tick).length > 0,
    paint(ctx, shotIndex, tick) {
      ctx.textAlign = 'center';
      for (const hurt of fresh(shotIndex, tick)) {
        const since = (tick - hurt.tick) / match.tickRate;
        const nth = (dealt[shotIndex] ?? []).indexOf(hurt);
        paintDamageNumber(ctx, hurt, since, flightOf(nth, since, STYLE, scale), STYLE, scale);
      }
      ctx.globalAlpha = 1;
    },
  };
}

/** The corner that seven rows of killfeed with long names fill, in pixels at scale 1: at 16:9, of the whole picture. */
const FEED = { width: 900, height: 400 };

/**
 * Draws over the footage what the game does not draw: our killfeed and the damage ticker, if the order asks for them.
 * In another shape than 16:9 the game's killfeed would be cut off, so ours takes its place. Paints and blends only the
 * part of the frame that they cover, and only while something is visible.
 */
export function withFootageOverlay(
  source: FrameSource,
  match: Match,
  shots: readonly Shot[],
  options: CaptureOptions,
): FrameSource {
  const { scale, safe, isWide } = layoutOf(options);
  const drawsFeed = options.ownKillfeed || !isWide;
  if (!drawsFeed && !options.damageTicker) return source;
  useHostCanvas();
  const { width, height, fps } = options;
  const clock = createClipClock(shots, match.tickRate, fps);
  const ticker = createDamageTicker(match, shots, scale);
  const paintKillfeed = createKillfeed(match, shots, { own: options.ownKillfeed, width, height });
  const across = Math.ceil(Math.min(FEED.width * scale, safe.width));
  const right = Math.floor(safe.x + safe.width);
  const feed = createWindow(right - across, Math.floor(safe.y), across, FEED.height * scale);
  const reach = Math.ceil(TICKER_REACH * scale);
  const aim = createWindow(Math.round(width / 2) - reach, Math.round(height / 2) - reach, reach * 2, reach * 2);
  const hasKills = (shotIndex: number, tick: number): boolean =>
    !options.ownKillfeed ||
    shots.some(({ kills }, i) => i <= shotIndex && kills.some((kill) => i < shotIndex || kill.tick <= tick));

  const paintOver = (frame: Uint8Array, index: number, content: FrameContent): void => {
    const { shotIndex, tick } = clock.at(index);
    if (options.damageTicker && content !== 'cover' && ticker.isShown(shotIndex, tick)) {
      aim(frame, width, (ctx) => {
        ctx.translate(width / 2, height / 2);
        ticker.paint(ctx, shotIndex, tick);
      });
    }
    if (drawsFeed && !isBare(content) && hasKills(shotIndex, tick)) {
      feed(frame, width, (ctx) => paintKillfeed(ctx, shotIndex, tick));
    }
  };
  return paintedOver(source, paintOver);
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

/** A recorder may lose the last frames of a take. The last frame it has is then repeated, for this long at most. */
const MAX_STILL_SECONDS = 0.5;

/**
 * Returns the frames of footage as frames of a clip: for each shot exactly as many as its length needs. Each shows the
 * film's frame that is nearest by the clip's clock, so frames are skipped or repeated where the speeds of both differ.
 * The nearest frame also fills what the game could not record at the very start or end of a demo.
 */
export function createFootageSource(
  ffmpegPath: string,
  match: Pick<Match, 'tickRate'>,
  footage: readonly Pick<Footage, 'recorded' | 'videoPath'>[],
  { width, height, fps }: CaptureOptions,
): FrameSource {
  const clock = createClipClock(
    footage.map(({ recorded }) => recorded.shot),
    match.tickRate,
    fps,
  );
  const shots = footage.map(({ recorded, videoPath }, index) => {
    const first = clock.shotStarts[index] ?? 0;
    const end = clock.shotStarts[index + 1] ?? clock.frameCount;
    // Between two frames, the last digit of the tick must not choose, or the steps of a steady speed are uneven.
    const filmed = (ticks: number): number => Math.round((ticks / match.tickRate) * recorded.fps + 1e-6);
    /** Returns the film's frame that a frame of the clip shows. */
    const pick = (frame: number): number => Math.max(filmed(clock.at(frame).tick - recorded.startTick), 0);
    const missingAtEnd = Math.max(filmed(recorded.shot.endTick - recorded.endTick), 0);
    const decode: Omit<DecodeInput, 'limit'> = { ffmpegPath, path: videoPath, width, height };
    const allowed = missingAtEnd + Math.ceil(MAX_STILL_SECONDS * recorded.fps);
    return { first, end, pick, allowed, decode, fps: recorded.fps };
  });

  async function* shotFrames({ first, end, pick, allowed, decode }: (typeof shots)[number], signal: AbortSignal) {
    const wanted = pick(end - 1) + 1;
    let next = first;
    let read = 0;
    let kept: Uint8Array | null = null;
    for await (const frame of decodeFrames({ ...decode, limit: wanted }, signal)) {
      const since = next;
      while (next < end && pick(next) <= read) next++;
      read++;
      // A consumer paints into its frame, so a frame that is shown again is copied first.
      if (next - since > 1 || read >= wanted - allowed) kept = frame.slice();
      for (let i = since + 1; i < next && kept !== null; i++) yield kept.slice();
      if (next > since) yield frame;
    }
    if (signal.aborted) return;
    if (read < wanted - allowed || kept === null) throw new Error(`the footage has ${read} of ${wanted} frames`);
    for (; next < end; next++) yield kept.slice();
  }

  return {
    frameCount: clock.frameCount,
    async *frames(signal) {
      for (const shot of shots) {
        if (signal.aborted) return;
        yield* shotFrames(shot, signal);
      }
    },
    async frame(index) {
      const { shotIndex } = clock.at(index);
      const shot = shots[shotIndex];
      if (shot === undefined) throw new RangeError(`no shot ${shotIndex}`);
      const wanted = shot.pick(index);
      for (const at of [wanted, wanted - shot.allowed, 0]) {
        // A quarter of a frame early, because file formats round times.
        const fromSeconds = Math.max(0, (at - 0.25) / shot.fps);
        const frames = decodeFrames({ ...shot.decode, fromSeconds, limit: 1 }, new AbortController().signal);
        for await (const frame of frames) return frame;
      }
      throw new Error(`frame ${index} is not in the footage`);
    },
  };
}
