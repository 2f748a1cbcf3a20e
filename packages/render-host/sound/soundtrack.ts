import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClipClock } from '#scene/frames/clip-clock.ts';
import { readLevels } from '#scene/match/levels.ts';
import type { Shot } from '#scene/plan/shot.ts';
import type { Match } from '../match/match.ts';
import { cuesOf, type SoundCue } from './cues.ts';
import { addAir, poleOf, SAMPLE_RATE, type Samples } from './signal.ts';
import { LONGEST_VOICE_SECONDS, voiceSamples } from './voices.ts';

/** Samples of one part of the mix. */
const CHUNK = 2 * SAMPLE_RATE;
const LONGEST = LONGEST_VOICE_SECONDS * SAMPLE_RATE;
/** Seconds of the fades at cuts: inaudible, and long enough to prevent a click. */
const FADE = { in: 0.012, out: 0.05 };
/** Seconds of the fade of a sound that is cut short. */
const RELEASE = 0.6;
const OPEN = 17_000;

/**
 * Mixes the cues of a shot to `length` samples of interleaved stereo, part by part. Fades in at its start and out at
 * its end; nothing continues after it. Each part belongs to the consumer until it asks for the next.
 */
function* mixShot(cues: readonly SoundCue[], length: number): Generator<Samples> {
  const pending = new Float32Array((CHUNK + LONGEST) * 2);
  let next = 0;
  for (let start = 0; start < length; start += CHUNK) {
    for (let cue = cues[next]; cue !== undefined; cue = cues[next]) {
      const first = Math.round(cue.at * SAMPLE_RATE);
      if (first >= start + CHUNK) break;
      add(pending, cue, first - start);
      next++;
    }
    const count = Math.min(CHUNK, length - start);
    const part = pending.slice(0, count * 2);
    fade(part, start, length);
    yield part;
    pending.copyWithin(0, CHUNK * 2);
    pending.fill(0, LONGEST * 2);
  }
}

/** Adds a cue at a sample of the mix. Leaves out what is before the start. */
function add(mix: Samples, cue: SoundCue, first: number): void {
  const voice = voiceSamples(cue.voice, cue.variant);
  const length =
    cue.seconds === undefined ? voice.length : Math.min(voice.length, Math.round(cue.seconds * SAMPLE_RATE));
  const angle = ((cue.pan + 1) * Math.PI) / 4;
  const left = cue.gain * Math.cos(angle) * Math.SQRT2;
  const right = cue.gain * Math.sin(angle) * Math.SQRT2;
  const release = cue.seconds === undefined ? 0 : RELEASE * SAMPLE_RATE;
  const pole = cue.cutoff >= OPEN ? 1 : poleOf(cue.cutoff);
  let once = 0;
  let twice = 0;
  // Samples before the start of the shot only pass through the filter.
  for (let i = 0; i < length; i++) {
    const sample = voice[i] ?? 0;
    once += (sample - once) * pole;
    twice += (once - twice) * pole;
    const at = (first + i) * 2;
    if (at < 0) continue;
    const shaped = length - i < release ? twice * ((length - i) / release) : twice;
    mix[at] = (mix[at] ?? 0) + shaped * left;
    mix[at + 1] = (mix[at + 1] ?? 0) + shaped * right;
  }
}

/** Fades in at the start of `length` samples, and out at their end. `start` is the position of the part in them. */
export function fade(part: Samples, start: number, length: number): void {
  const rise = FADE.in * SAMPLE_RATE;
  const fall = Math.min(FADE.out * SAMPLE_RATE, length / 2);
  for (let i = 0; i < part.length / 2; i++) {
    const at = start + i;
    const linear = Math.min(1, at / rise, (length - 1 - at) / fall);
    if (linear >= 1) continue;
    const factor = linear * linear * (3 - 2 * linear);
    part[i * 2] = (part[i * 2] ?? 0) * factor;
    part[i * 2 + 1] = (part[i * 2 + 1] ?? 0) * factor;
  }
}

/** Milliseconds until the event loop gets a turn. */
const SLICE_MS = 10;

/**
 * Runs a long computation that yields where it may pause, and returns its result. Timers, heartbeats and requests run
 * in between.
 *
 * @throws the signal's reason if aborted.
 */
async function inTurns<Result>(steps: Generator<void, Result>, signal?: AbortSignal): Promise<Result> {
  let begun = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() - begun < SLICE_MS) continue;
    await nextTurn();
    signal?.throwIfAborted();
    begun = performance.now();
  }
}

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
