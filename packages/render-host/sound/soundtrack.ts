import type { ClipClock } from '#scene/frames/clip-clock.ts';
import { readLevels } from '#scene/match/levels.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Match } from '../match/match.ts';
import { addAir } from './air.ts';
import { cuesOf, type SoundCue } from './cues.ts';
import { inTurns } from './in-turns.ts';
import { mixShot } from './mix.ts';
import { SAMPLE_RATE, type Samples } from './signal.ts';

export interface Soundtrack {
  readonly seconds: number;
  /** Returns the clip's sound as interleaved stereo, part by part. It may exceed full scale. */
  parts(): Generator<Samples>;
}

/**
 * Prepares the sound of a clip: what the point-of-view player hears in each shot, as long as the shot's frames.
 * Deterministic.
 *
 * @throws the signal's reason if aborted.
 */
export async function createSoundtrack(
  match: Match,
  shots: readonly Shot[],
  clock: ClipClock,
  fps: number,
  signal?: AbortSignal,
): Promise<Soundtrack> {
  const starts = [...clock.shotStarts, clock.frameCount].map((frame) => Math.round((frame / fps) * SAMPLE_RATE));
  const levels = readLevels(match);
  const cues: (readonly SoundCue[])[] = [];
  for (const shot of shots) cues.push(await inTurns(cuesOf(match, shot, levels), signal));
  function* parts(): Generator<Samples> {
    for (const [index, shotCues] of cues.entries()) {
      let at = starts[index] ?? 0;
      for (const part of mixShot(shotCues, (starts[index + 1] ?? 0) - at)) {
        addAir(part, at, starts.at(-1) ?? 0);
        yield part;
        at += part.length / 2;
      }
    }
  }
  return { seconds: clock.frameCount / fps, parts };
}
