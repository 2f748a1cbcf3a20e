import { join } from 'node:path';
import type { Failure } from '#domain/failure.ts';
import type { Ffmpeg } from '../../encode/ffmpeg.ts';
import { writeSound } from '../../encode/write-sound.ts';
import { createClipClock } from '../../frames/clip-clock.ts';
import type { ShotSound } from '../../frames/frame-source.ts';
import { createSoundtrack } from '../../sound/soundtrack.ts';
import type { CaptureRequest } from '../capture.ts';

/** The loudness of each clip in LUFS, and a difference that is inaudible. */
const TARGET = -16;
const CLOSE = 0.6;
/** The most amplification in decibels. A quiet scene stays quieter. */
const MOST_GAIN = 12;
/** The limiter reduces loudness, so the first gain may be too low. */
const TRIES = 3;

type Sound = { readonly ok: true; readonly sound: readonly ShotSound[] };

/** Makes the sound of a clip, as loud as other clips in a feed. */
export async function makeRadarSound(
  { match, shots, options, workDir, signal }: CaptureRequest,
  ffmpeg: Ffmpeg,
): Promise<Sound | Failure<'cs2_unavailable' | 'render_failed'>> {
  const clock = createClipClock(shots, match.tickRate, options.fps);
  const soundtrack = await createSoundtrack(match, shots, clock, options.fps, signal);
  const path = join(workDir, 'sound.wav');
  const { seconds } = soundtrack;
  let gain = 0;
  for (let attempt = 0; attempt <= TRIES; attempt++) {
    const written = await writeSound({ ffmpeg, parts: soundtrack.parts(gain), outPath: path, signal });
    if (!written.ok) return written;
    const next = Math.min(MOST_GAIN, gain + (TARGET - written.integrated));
    if (Math.abs(next - gain) < CLOSE) break;
    gain = next;
  }
  return { ok: true, sound: [{ path, seconds }] };
}
