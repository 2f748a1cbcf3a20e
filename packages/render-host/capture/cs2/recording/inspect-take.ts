import { execFile } from 'node:child_process';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { playerAt, shortTurn } from '#scene/match/player-state.ts';
import { childEnvironment } from '../../../machine/program.ts';
import type { Match } from '../../../match/match.ts';
import type { CameraVerdict, Drift } from './camera-keeper.ts';
import { decodeFrames, type Footage, readWav } from './footage-files.ts';
import type { RecordedShot } from './plan-recording.ts';

export interface InspectInput {
  readonly ffmpegPath: string;
  readonly match: Match;
  readonly options: Pick<CaptureOptions, 'width' | 'height'>;
  readonly signal: AbortSignal;
}

/** The size at which pictures are judged: enough to distinguish black from dark and moving from still. */
const THUMB = { width: 32, height: 18 };
const THUMB_PIXELS = THUMB.width * THUMB.height;
/**
 * Recorders end a take a frame early or late. If more are missing, they are missing in the middle, and the rest is out
 * of step.
 */
const FRAMES_SHORT = 1;
const SECONDS_SHORT = 0.25;
/** A lost command ends a take late. A longer take was recorded at another speed: in slow motion. */
const TICKS_LONG = 80;
/** A brightness of 255. The darkest corner of a map at night is brighter. */
const BLACK = 6;
/**
 * A mean difference of brightness, of 255: how much the encoder changes a still picture. A moving view differs by more.
 */
const SAME = 0.05;
/** How many frames in a row are a fault. */
const RUN = 3;
/** The degrees turned or units walked that must change a view. */
const TURN = 2;
const WALK = 16;

/** Returns why a take must not be used; null if it is good. */
export async function inspectTake(footage: Footage, input: InspectInput): Promise<string | null> {
  const { recorded, videoPath, soundPath } = footage;
  const { options, match, ffmpegPath } = input;
  const size = await sizeOfVideo(ffmpegPath, videoPath);
  if (size === null) return 'the pictures cannot be read';
  const { width, height } = options;
  if (size.width !== width || size.height !== height) {
    return `the pictures are ${size.width}×${size.height} instead of ${width}×${height}`;
  }
  const seconds = (recorded.endTick - recorded.startTick) / match.tickRate;
  const wanted = Math.round(seconds * recorded.fps);
  const fault = await judgePictures(footage, input, wanted);
  if (fault !== null) return fault;
  const sound = await readWav(soundPath);
  if (sound === null) return 'the sound cannot be read';
  if (sound.seconds < seconds - SECONDS_SHORT) return `the sound lasts ${sound.seconds.toFixed(2)} of ${seconds} s`;
  return sound.isSilent && seconds > SECONDS_SHORT ? 'the sound is silent' : null;
}

/** Judges each frame at a small size: how many there are, and where they are black or still. */
async function judgePictures({ recorded, videoPath: path }: Footage, input: InspectInput, wanted: number) {
  const { ffmpegPath, match, signal } = input;
  const { fps } = recorded;
  const tickOf = (index: number): number => recorded.startTick + (index / fps) * match.tickRate;
  const most = wanted + FRAMES_SHORT + Math.ceil((TICKS_LONG / match.tickRate) * fps);
  let count = 0;
  let blackSince = 0;
  let sameSince = 0;
  let before: Uint8Array | null = null;
  try {
    for await (const thumb of decodeFrames({ ffmpegPath, path, ...THUMB, limit: most + 1 }, signal)) {
      // The excess is cut off.
      if (++count > wanted) continue;
      const index = count - 1;
      if (brightness(thumb) >= BLACK) blackSince = index + 1;
      // Compared with the first of the still frames: a film for slow motion changes less from one to the next.
      if (before === null || difference(before, thumb) >= SAME) {
        sameSince = index;
        before = thumb.slice();
      }
      if (index - blackSince >= RUN) return `the pictures are black from frame ${blackSince} on`;
      if (index - sameSince >= RUN && hasMoved(match, recorded, tickOf(sameSince), tickOf(index))) {
        return `the picture is frozen from frame ${sameSince} on`;
      }
    }
  } catch {
    signal.throwIfAborted();
    // Without one decoded frame the count reports it.
  }
  if (count > most) return `the take has more than ${most} frames instead of ${wanted}: its speed is another one`;
  return count < wanted - FRAMES_SHORT ? `the take has ${count} of ${wanted} frames` : null;
}

/** Whether the player moved or turned so far between two ticks that their view must have changed. */
function hasMoved(match: Match, { shot }: RecordedShot, from: number, to: number): boolean {
  const before = playerAt(match, shot.pov, from);
  const after = playerAt(match, shot.pov, to);
  if (!before?.alive || !after?.alive) return false;
  return Math.abs(shortTurn(before.yaw, after.yaw)) > TURN || Math.hypot(after.x - before.x, after.y - before.y) > WALK;
}

function brightness(thumb: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < thumb.length; i += 4) sum += ((thumb[i] ?? 0) + (thumb[i + 1] ?? 0) + (thumb[i + 2] ?? 0)) / 3;
  return sum / THUMB_PIXELS;
}

function difference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs((a[i] ?? 0) - (b[i] ?? 0));
  return sum / (THUMB_PIXELS * 3);
}

/** Returns the size of the first video stream by ffmpeg; null if there is none. */
function sizeOfVideo(ffmpegPath: string, path: string): Promise<{ width: number; height: number } | null> {
  return new Promise((resolve) => {
    // Without an output ffmpeg fails, after it has described the input.
    const options = { env: childEnvironment(), windowsHide: true };
    execFile(ffmpegPath, ['-hide_banner', '-nostdin', '-i', path], options, (_error, _out, said) => {
      const found = /Video:.*?[ ,](\d{2,5})x(\d{2,5})[ ,\n]/.exec(said);
      resolve(found === null ? null : { width: Number(found[1]), height: Number(found[2]) });
    });
  });
}

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
