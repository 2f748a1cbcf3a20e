import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createCanvas } from '@napi-rs/canvas';
import type { Match } from '../../match/match.ts';
import type { Shot } from '../../plan/shot.ts';
import type { Capture, CaptureOptions, FrameSource } from '../capture.ts';
import { createClipClock } from '../clip-clock.ts';
import { copyPixels } from './canvas-pixels.ts';
import { createFrameRing, releaseBefore, slotOf, stopRing } from './frame-ring.ts';
import type { RadarWorkerData } from './radar-worker.ts';
import { createScene, type Scene } from './scene.ts';

/** Draws the match from above, out of the parsed demo alone: needs no game and no GPU, and has its frames at once. */
export const radarCapture: Capture = async ({ match, shots, options }) => {
  return { ok: true, source: createRadarSource(match, shots, options), sound: null };
};

/**
 * The frames of shots seen from above. Frames are drawn on a thread of their own, a few ahead of
 * the consumer; `frame` draws on the calling thread.
 */
export function createRadarSource(match: Match, shots: readonly Shot[], options: CaptureOptions): FrameSource {
  const { frameCount } = createClipClock(shots, match.tickRate, options.fps);
  const frameBytes = options.width * options.height * 4;
  let scene: Scene | null = null;

  async function* frames(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (signal.aborted) return;
    const ring = createFrameRing(frameBytes);
    const workerData: RadarWorkerData = { match, shots, options, ring };
    const worker = new Worker(new URL('./radar-worker.ts', import.meta.url), { workerData });
    try {
      let frame = 0;
      for await (const _ of on(worker, 'message', { signal, close: ['exit'] })) {
        yield slotOf(ring, frame);
        frame++;
        releaseBefore(ring, frame);
      }
      if (frame < frameCount) throw new Error(`the drawing thread ended after ${frame} of ${frameCount} frames`);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      stopRing(ring);
      await worker.terminate();
    }
  }

  return {
    frameCount,
    frames,
    async frame(index, dressing = 'full') {
      scene ??= createScene(match, shots, options);
      const canvas = createCanvas(options.width, options.height);
      scene.paint(canvas.getContext('2d', { alpha: false }), index, dressing);
      const pixels = new Uint8Array(frameBytes);
      copyPixels(canvas, pixels);
      return pixels;
    },
  };
}
