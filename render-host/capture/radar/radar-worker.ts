import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas } from '@napi-rs/canvas';
import { copyPixels } from '../../drawing/canvas-pixels.ts';
import type { CaptureOptions, FrameContent } from '../../frames/frame-source.ts';
import type { Match } from '../../match/match.ts';
import type { Shot } from '../../plan/shot.ts';
import { type FrameRing, frameIn, waitForRoom } from './frame-ring.ts';
import { createScene } from './scene/scene.ts';

/** Frames of a clip: `start` belongs to it, `end` does not. */
export interface FrameRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What the drawing thread is started with. It posts the number of each frame once that lies in the ring, the first one
 * in the first place.
 */
export interface RadarWorkerData {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  readonly ring: FrameRing;
  readonly range: FrameRange;
  readonly content: FrameContent;
}

async function drawAll({ match, shots, options, ring, range, content }: RadarWorkerData): Promise<void> {
  const scene = createScene(match, shots, options);
  const canvas = createCanvas(options.width, options.height);
  const ctx = canvas.getContext('2d', { alpha: false });
  for (let frame = range.start; frame < range.end; frame++) {
    scene.paint(ctx, frame, content);
    const place = frame - range.start;
    if (!waitForRoom(ring, place)) return;
    copyPixels(canvas, frameIn(ring, place));
    parentPort?.postMessage(frame);
    await nextTurn();
  }
}

await drawAll(workerData as RadarWorkerData);
