import { failure } from '../../../domain/failure.ts';
import { reasonOf } from '../../../domain/reason.ts';
import type { Ffmpeg } from '../../encode/ffmpeg.ts';
import { createClipClock } from '../../frames/clip-clock.ts';
import { type FreeBytes, freeBytes } from '../../machine/free-space.ts';
import type { Capture, CaptureRequest, CaptureResult } from '../capture.ts';
import { withFootageOverlay } from './footage/footage-overlay.ts';
import { createFootageSource } from './footage/footage-source.ts';
import type { Cs2Settings } from './game/cs2-settings.ts';
import { RecordingFailure } from './game/failure.ts';
import { buildObjection, readGameBuild } from './game/game-build.ts';
import { systemTimers, type Timers } from './game/timers.ts';
import { recordShots } from './recording/record-shots.ts';

export interface Cs2CaptureDependencies {
  readonly settings: Cs2Settings;
  /** Decodes the footage. */
  readonly ffmpeg: Pick<Ffmpeg, 'path'>;
  readonly log: { warn(fields: object, message: string): void };
  /** The system's unless told. */
  readonly timers?: Timers;
  readonly free?: FreeBytes;
}

/**
 * Records the shots in the real game through HLAE, then answers with the frames of that footage, with what the game
 * does not draw. A demo newer than the game is `demo_incompatible` before the game is started.
 */
export function createCs2Capture(dependencies: Cs2CaptureDependencies): Capture {
  const { settings, ffmpeg, log, timers = systemTimers, free = freeBytes } = dependencies;
  return async (request) => {
    try {
      const objection = await objectionTo(request, settings);
      if (objection !== null) return objection;
      const footage = await recordShots({ settings, timers, free, log }, request);
      const { match, shots, options } = request;
      const source = createFootageSource(ffmpeg.path, match, footage, options);
      const clock = createClipClock(shots, match.tickRate, options.fps);
      const sound = footage.map(({ soundPath, recorded: { shot, startTick } }, index) => {
        const frames = (clock.shotStarts[index + 1] ?? clock.frameCount) - (clock.shotStarts[index] ?? 0);
        const delaySeconds = (startTick - shot.startTick) / match.tickRate;
        return { path: soundPath, delaySeconds, seconds: frames / options.fps };
      });
      return { ok: true, source: withFootageOverlay(source, match, shots, options), sound };
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof RecordingFailure) return { ...failure(error.code, error.message), inGame: true };
      throw error;
    }
  };
}

async function objectionTo({ match }: CaptureRequest, settings: Cs2Settings): Promise<CaptureResult | null> {
  try {
    const objection = buildObjection(match, await readGameBuild(settings));
    return objection === null ? null : failure('demo_incompatible', objection);
  } catch (error) {
    return failure('cs2_unavailable', `the game's build cannot be read: ${reasonOf(error)}`);
  }
}
