import type { CameraVerdict, Drift } from './camera-keeper.ts';
import type { Footage } from './footage-files.ts';
import type { RecordedShot } from './plan-recording.ts';

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

/** Returns the footage if it may be used. Logs whom else the camera showed, and for how many ticks. */
export function judgeTake(
  log: { warn(fields: object, message: string): void },
  index: number,
  { footage, fault, camera }: TakeFindings,
): Footage | TakeFault {
  const { drifts } = camera;
  if (drifts.length > 0) log.warn({ shot: index, drifts }, 'the camera showed somebody else');
  if (camera.verdict === 'missed') return NEVER_SHOWN;
  if (camera.verdict === 'drifted') return { code: 'render_failed', detail: 'the camera left the player' };
  if (typeof footage === 'string') return { code: 'cs2_unavailable', detail: footage };
  return fault === null ? footage : { code: 'cs2_unavailable', detail: fault };
}

/** Returns a function that reports the part of all films' frames that is recorded. Progress never goes back. */
export function createProgress(
  shots: readonly Pick<RecordedShot, 'startTick' | 'endTick' | 'fps'>[],
  onProgress: (fraction: number) => void,
): (index: number, tick: number) => void {
  const lengths = shots.map(({ startTick, endTick, fps }) => (endTick - startTick) * fps);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let furthest = 0;
  return (index, tick) => {
    const shot = shots[index];
    if (shot === undefined) return;
    const before = lengths.slice(0, index).reduce((sum, length) => sum + length, 0);
    const own = (Math.min(tick, shot.endTick) - shot.startTick) * shot.fps;
    furthest = Math.max(furthest, (before + own) / total);
    onProgress(LOADED_FRACTION + (1 - LOADED_FRACTION) * furthest);
  };
}

/** The progress once the demo plays. */
export const LOADED_FRACTION = 0.1;
