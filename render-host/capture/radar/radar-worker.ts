import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas } from '@napi-rs/canvas';
import type { Match } from '../../match/match.ts';
import type { Shot } from '../../plan/shot.ts';
import type { CaptureOptions } from '../capture.ts';
import { copyPixels } from './canvas-pixels.ts';
import { type FrameRing, slotOf, waitForSlot } from './frame-ring.ts';
import { createScene } from './scene.ts';

/** What the drawing thread is started with. It posts the number of each frame once that lies in the ring. */
export interface RadarWorkerData {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  readonly ring: FrameRing;
}

async function drawAll({ match, shots, options, ring }: RadarWorkerData): Promise<void> {
  const scene = createScene(match, shots, options);
  const canvas = createCanvas(options.width, options.height);
  const ctx = canvas.getContext('2d', { alpha: false });
  for (let frame = 0; frame < scene.frameCount; frame++) {
    scene.paint(ctx, frame, 'full');
    if (!waitForSlot(ring, frame)) return;
    copyPixels(canvas, slotOf(ring, frame));
    parentPort?.postMessage(frame);
    await nextTurn();
  }
}

await drawAll(workerData as RadarWorkerData);
