import type { CaptureRequest } from '../../capture.ts';
import type { CameraVerdict, Drift } from './camera-keeper.ts';
import type { Footage } from './footage-files.ts';

/** The most takes of a shot. What fails this often fails again. */
export const TAKES = 3;

/** Why a take is faulty, and the job's error if no take is better. */
export interface TakeFault {
  readonly code: 'cs2_unavailable' | 'render_failed';
  readonly detail: string;
}

export const NEVER_SHOWN: TakeFault = { code: 'render_failed', detail: 'the camera never was on the player' };

/** What is known about a finished take. */
export interface TakeFindings {
  /** A text says what is missing. */
  readonly footage: Footage | string;
  /** What is wrong with it, or null. */
  readonly fault: string | null;
  readonly camera: { readonly verdict: CameraVerdict; readonly drifts: readonly Drift[] };
}

interface Judge {
  readonly request: Pick<CaptureRequest, 'match' | 'options'>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Returns the footage if it may be used. Logs whom else the camera showed, and for how many frames. */
export function judgeTake(
  { request: { match, options }, log }: Judge,
  index: number,
  { footage, fault, camera }: TakeFindings,
): Footage | TakeFault {
  if (camera.drifts.length > 0) {
    const drifts = camera.drifts.map(({ steamId, ticks }) => ({
      steamId,
      frames: Math.max(1, Math.round((ticks / match.tickRate) * options.fps)),
    }));
    log.warn({ shot: index, drifts }, 'the camera showed somebody else');
  }
  if (camera.verdict === 'missed') return NEVER_SHOWN;
  if (camera.verdict === 'drifted') return { code: 'render_failed', detail: 'the camera left the player' };
  if (typeof footage === 'string') return { code: 'cs2_unavailable', detail: footage };
  return fault === null ? footage : { code: 'cs2_unavailable', detail: fault };
}

/** Returns a function that reports the progress of a recording of several shots. Progress never goes back. */
export function createProgress(
  shots: readonly { readonly startTick: number; readonly endTick: number }[],
  onProgress: (fraction: number) => void,
): (index: number, tick: number) => void {
  const lengths = shots.map(({ startTick, endTick }) => endTick - startTick);
  const total = lengths.reduce((sum, ticks) => sum + ticks, 0);
  let furthest = 0;
  return (index, tick) => {
    const shot = shots[index];
    if (shot === undefined) return;
    const done = lengths.slice(0, index).reduce((sum, ticks) => sum + ticks, 0);
    furthest = Math.max(furthest, (done + Math.min(tick, shot.endTick) - shot.startTick) / total);
    onProgress(LOADED_FRACTION + (1 - LOADED_FRACTION) * furthest);
  };
}

/** The progress once the demo plays. */
export const LOADED_FRACTION = 0.1;
