import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type CaptureOptions, createClipClock, type FrameContent } from '#scene/frames/clip-clock.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { FrameSource } from '../../frames/frame-source.ts';
import { loadOutline } from '../../match/inspect-match.ts';
import type { Match } from '../../match/match.ts';
import { createSoundtrack } from '../../sound/soundtrack.ts';
import type { Capture } from '../capture.ts';
import { type KeptFootprints, NOTHING_KEPT } from './kept-footprints.ts';
import {
  createFrameRing,
  type FrameRing,
  frameIn,
  loadRadarPicture,
  releaseBefore,
  stopRing,
} from './radar-picture.ts';
import type { FrameRange, RadarWorkerData } from './radar-worker.ts';

export interface RadarSettings {
  /** Whether clips have sound. */
  readonly sound: boolean;
  /** The folder of the operator's map pictures, or null. */
  readonly radarDir?: string | null;
  /** The folder of the maps' outlines, or null. */
  readonly outlineDir?: string | null;
  /** Null if no footprints are kept. */
  readonly footprints?: KeptFootprints | null;
}

/** The garbage of a frame is small and short-lived. By default 48 MB of it pile up. */
const HEAP = { maxYoungGenerationSizeMb: 8 };

/** The sources of the floor, besides the match. */
type MapSources = Pick<RadarWorkerData, 'walked' | 'radarDir'>;

/**
 * Draws the match from above, from the parsed demo alone, and makes its sound. Needs no game and no GPU, and has its
 * frames at once.
 */
export function createRadarCapture({ sound, radarDir = null, outlineDir = null, footprints }: RadarSettings): Capture {
  return async ({ match: recorded, shots, options, account = null, signal }) => {
    const walked = (await footprints?.add(recorded, account)) ?? NOTHING_KEPT;
    // Without a readable outline the clip is drawn as if there were none. The doctor reports it.
    const outline = outlineDir === null ? null : await loadOutline(outlineDir, recorded.map).catch(() => null);
    const match = outline === null ? recorded : { ...recorded, outline };
    const source = createRadarSource(match, shots, options, { walked, radarDir });
    const picture = radarDir === null ? null : await loadRadarPicture(radarDir, match.map).catch(() => null);
    const drawn = { ok: true, source, floor: picture === null && outline === null ? 'movement' : undefined } as const;
    if (!sound) return { ...drawn, sound: null };
    // The map is painted while the sound is made and finished. Both take about as long.
    source.begin();
    try {
      const clock = createClipClock(shots, match.tickRate, options.fps);
      const soundtrack = await createSoundtrack(match, shots, clock, options.fps, signal);
      return { ...drawn, sound: [{ path: null, ...soundtrack }] };
    } catch (error) {
      await source.close();
      throw error;
    }
  };
}

export interface RadarSource extends FrameSource {
  /** Draws the first frames in advance, for a later call of `frames`. Without that call the source has to be closed. */
  begin(): void;
  close(): Promise<void>;
}

/** A drawing thread, with the frames that it has announced. */
interface Drawing {
  readonly ring: FrameRing;
  readonly worker: Worker;
  readonly announced: AsyncIterable<unknown>;
  readonly stop: AbortController;
}

/**
 * Returns the frames of shots seen from above. A thread draws them, a few ahead of the consumer. `frame` has a thread
 * too, because preparing a long clip takes seconds, in which heartbeats have to go on.
 */
export function createRadarSource(
  match: Match,
  shots: readonly Shot[],
  options: CaptureOptions,
  map: MapSources = { walked: NOTHING_KEPT, radarDir: null },
): RadarSource {
  const { frameCount } = createClipClock(shots, match.tickRate, options.fps);
  const whole: FrameRange = { start: 0, end: frameCount };
  let ahead: Drawing | null = null;

  function start(range: FrameRange, content: FrameContent): Drawing {
    const ring = createFrameRing(options.width * options.height * 4);
    const workerData: RadarWorkerData = { match, shots, options, ring, range, content, ...map };
    const worker = new Worker(new URL('./radar-worker.ts', import.meta.url), { workerData, resourceLimits: HEAP });
    const stop = new AbortController();
    // From the start on, because messages without a listener are lost.
    const announced = on(worker, 'message', { signal: stop.signal, close: ['exit'] });
    return { ring, worker, announced, stop };
  }

  async function end({ ring, worker }: Drawing): Promise<void> {
    stopRing(ring);
    await worker.terminate();
  }

  async function* draw(drawing: Drawing, wanted: number): AsyncGenerator<Uint8Array> {
    const { ring, announced } = drawing;
    try {
      let drawn = 0;
      for await (const _ of announced) {
        yield frameIn(ring, drawn);
        drawn++;
        releaseBefore(ring, drawn);
      }
      if (drawn < wanted) throw new Error(`the drawing thread ended after ${drawn} of ${wanted} frames`);
    } finally {
      await end(drawing);
    }
  }

  return {
    frameCount,
    begin() {
      ahead ??= start(whole, 'full');
    },
    async close() {
      if (ahead !== null) await end(ahead);
      ahead = null;
    },
    async *frames(signal) {
      if (signal.aborted) return;
      const drawing = ahead ?? start(whole, 'full');
      ahead = null;
      const abort = () => drawing.stop.abort();
      signal.addEventListener('abort', abort);
      try {
        yield* draw(drawing, frameCount);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async frame(index, content = 'full') {
      const drawing = start({ start: index, end: index + 1 }, content);
      for await (const pixels of draw(drawing, 1)) return pixels.slice();
      throw new RangeError(`no frame ${index}`);
    },
  };
}
