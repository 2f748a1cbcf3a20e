import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Ffmpeg } from '../../encode/ffmpeg.ts';
import { createClipClock } from '../../frames/clip-clock.ts';
import type { CaptureOptions, FrameContent, FrameSource } from '../../frames/frame-source.ts';
import type { Match } from '../../match/match.ts';
import type { Shot } from '../../plan/shot.ts';
import type { Capture } from '../capture.ts';
import { createFrameRing, frameIn, releaseBefore, stopRing } from './frame-ring.ts';
import { type KeptFootprints, NOTHING_KEPT } from './kept-footprints.ts';
import { makeRadarSound } from './radar-sound.ts';
import type { FrameRange, RadarWorkerData } from './radar-worker.ts';

export interface RadarSettings {
  readonly ffmpeg: Ffmpeg;
  /** Clips are heard; silent else. */
  readonly sound: boolean;
  /** Where the operator's pictures of maps are; null for none. */
  readonly radarDir?: string | null;
  /** Null where nothing is kept. */
  readonly footprints?: KeptFootprints | null;
}

/** What the floor is drawn from beside the match. */
type MapSources = Pick<RadarWorkerData, 'walked' | 'radarDir'>;

/**
 * Draws the match from above, out of the parsed demo alone, and makes its sound: needs no game and no GPU, and has its
 * frames at once.
 */
export function createRadarCapture({ ffmpeg, sound, radarDir = null, footprints }: RadarSettings): Capture {
  return async (request) => {
    const { match, shots, options, account = null } = request;
    const walked = (await footprints?.learn(match, account)) ?? NOTHING_KEPT;
    const heard = sound ? await makeRadarSound(request, ffmpeg) : null;
    if (heard?.ok === false) return heard;
    const source = createRadarSource(match, shots, options, { walked, radarDir });
    return { ok: true, source, sound: heard?.sound ?? null };
  };
}

/**
 * The frames of shots seen from above, drawn on a thread of their own, a few ahead of the consumer. `frame`, too, has a
 * thread: preparing a long clip takes seconds, in which heartbeats have to go on.
 */
export function createRadarSource(
  match: Match,
  shots: readonly Shot[],
  options: CaptureOptions,
  map: MapSources = { walked: NOTHING_KEPT, radarDir: null },
): FrameSource {
  const { frameCount } = createClipClock(shots, match.tickRate, options.fps);
  const frameBytes = options.width * options.height * 4;

  async function* draw(range: FrameRange, content: FrameContent, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const ring = createFrameRing(frameBytes);
    const workerData: RadarWorkerData = { match, shots, options, ring, range, content, ...map };
    const worker = new Worker(new URL('./radar-worker.ts', import.meta.url), { workerData });
    try {
      let drawn = 0;
      for await (const _ of on(worker, 'message', { ...(signal && { signal }), close: ['exit'] })) {
        yield frameIn(ring, drawn);
        drawn++;
        releaseBefore(ring, drawn);
      }
      const wanted = range.end - range.start;
      if (drawn < wanted) throw new Error(`the drawing thread ended after ${drawn} of ${wanted} frames`);
    } finally {
      stopRing(ring);
      await worker.terminate();
    }
  }

  return {
    frameCount,
    async *frames(signal) {
      if (signal.aborted) return;
      try {
        yield* draw({ start: 0, end: frameCount }, 'full', signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    async frame(index, content = 'full') {
      for await (const pixels of draw({ start: index, end: index + 1 }, content)) return pixels.slice();
      throw new RangeError(`no frame ${index}`);
    },
  };
}
