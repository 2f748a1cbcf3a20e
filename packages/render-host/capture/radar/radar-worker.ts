import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas } from '@napi-rs/canvas';
import type { CaptureOptions, FrameContent } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { createScene } from '#scene/scene.ts';
import { copyPixels, useHostCanvas } from '../../drawing/host-canvas.ts';
import type { Match } from '../../match/match.ts';
import { type FrameRing, frameIn, loadRadarPicture, waitForRoom } from './radar-picture.ts';

/** Frames of a clip, from `start` up to, not including, `end`. */
export interface FrameRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The input of the drawing thread. It posts the number of each frame once that is in the ring; the first frame uses the
 * first place.
 */
export interface RadarWorkerData {
  readonly match: Match;
  readonly shots: readonly Shot[];
  readonly options: CaptureOptions;
  readonly ring: FrameRing;
  readonly range: FrameRange;
  readonly content: FrameContent;
  /** Where players of other matches walked on this map. */
  readonly walked: Uint32Array;
  /** The folder of the operator's map pictures, or null. */
  readonly radarDir: string | null;
}

async function drawAll(data: RadarWorkerData): Promise<void> {
  useHostCanvas();
  const { match, shots, options, ring, range, content, walked, radarDir } = data;
  // Without a readable picture the clip is drawn as if there were none. The doctor reports it.
  const picture = radarDir === null ? null : await loadRadarPicture(radarDir, match.map).catch(() => null);
  const scene = createScene(match, shots, options, { walked, picture });
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
