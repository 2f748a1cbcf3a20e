import type { ShotSound } from '../frames/frame-source.ts';
import { SAMPLE_RATE, type Samples } from './signal.ts';

/** Samples of a half grain (16 ms). A grain fades in over the second half of the one before. */
const HALF = 768;
/** The most samples that a grain is moved to continue the one before: a wave of 120 Hz. */
const REACH = 400;
/** Sound is played on as it is while it is at most so many samples off its time. */
const CLOSE = 200;
/** The step of samples that are compared. */
const EVERY = 4;

type Pieces = NonNullable<ShotSound['pieces']>;

/**
 * Plays each piece over its seconds, at its pitch, for `length` samples, by overlapping grains where they are alike
 * (WSOLA: Verhelst and Roelands, 1993). Has no joins, is at most 10 ms of the recording off, and does not change sound
 * of speed 1. At a speed of 0.31, ffmpeg's `atempo` was up to 130 ms of the clip off, where this is 25 ms off, and
 * ended pieces early. `read` returns stereo from a sample on, with silence after the file.
 */
export async function* stretched(
  read: (first: number, count: number) => Promise<Samples>,
  pieces: Pieces,
  length: number,
): AsyncGenerator<Samples> {
  const wantedAt = (at: number): number =>
    Math.max(0, Math.round(secondOfFile(pieces, (at + HALF) / SAMPLE_RATE) * SAMPLE_RATE) - HALF);
  let next = wantedAt(0);
  for (let at = 0; at < length; at += HALF) {
    const before = await read(next, HALF);
    const wanted = wantedAt(at);
    const from = Math.max(0, wanted - REACH);
    if (Math.abs(wanted - next) > CLOSE) next = from + mostAlike(await read(from, HALF + 2 * REACH), before);
    const part = await read(next, HALF);
    for (let i = 0; i < part.length; i++) {
      const fade = 0.5 - 0.5 * Math.cos((Math.PI * ((i >> 1) + 0.5)) / HALF);
      part[i] = (part[i] ?? 0) * fade + (before[i] ?? 0) * (1 - fade);
    }
    next += HALF;
    yield part.subarray(0, (length - at) * 2);
  }
}

function secondOfFile(pieces: Pieces, second: number): number {
  let left = second;
  let at = 0;
  for (const { fromSeconds, toSeconds, seconds } of pieces) {
    at = fromSeconds + ((toSeconds - fromSeconds) * left) / seconds;
    if (left < seconds) break;
    left -= seconds;
  }
  return at;
}

/** Returns the sample of `sound` from which it is most like `other`, by their correlation; the middle for silence. */
function mostAlike(sound: Samples, other: Samples): number {
  let [best, most] = [REACH, 0];
  for (let first = 0; first <= 2 * REACH; first++) {
    let [product, energy] = [0, 1e-9];
    for (let i = 0; i < other.length; i += 2 * EVERY) {
      const value = (sound[first * 2 + i] ?? 0) + (sound[first * 2 + i + 1] ?? 0);
      product += value * ((other[i] ?? 0) + (other[i + 1] ?? 0));
      energy += value * value;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > most) [best, most] = [first, likeness];
  }
  return best;
}
