import { type Parts, SAMPLE_RATE, type Samples } from './signal.ts';

/**
 * The highest level, between samples too (true peak), as a part of full scale: -4.5 dB. What an AAC encoder adds stays
 * below -1.5 dB.
 */
const CEILING = 10 ** (-4.5 / 20);
/** Samples of look-ahead: 2 ms. */
const AHEAD = 96;
/** Seconds of release. */
const RELEASE = 0.09;
/** A part of the ceiling. If samples are below it, so is every level between two of them. */
const SURE = 0.6;
/** Samples that determine the level between two of them. */
const TAPS = 12;
const HALF = TAPS / 2;

/** Windowed sinc at a quarter, a half and three quarters between two samples. */
const KERNELS = [0.25, 0.5, 0.75].map((part) =>
  Float64Array.from({ length: TAPS }, (_, i) => {
    const x = i - (HALF - 1) - part;
    return (Math.sin(Math.PI * x) / (Math.PI * x)) * (0.5 + 0.5 * Math.cos((Math.PI * x) / (HALF + 0.5)));
  }),
);

/**
 * Amplifies stereo by `gain` and keeps it below the ceiling. Reduces both sides alike ahead of a peak, so that nothing
 * clips and nothing moves. Returns as many samples as it gets, at the same times.
 */
export async function* limited(parts: Parts, gain: number): AsyncGenerator<Samples> {
  const follow = createGainFollower();
  /** Samples that were read and not returned yet: the look-ahead, and what its peaks need around them. */
  let waiting = new Float32Array((AHEAD + HALF) * 2);
  let toSkip = AHEAD + HALF;
  for await (const part of withEnd(parts, AHEAD + HALF)) {
    const held = waiting.length;
    const all = new Float32Array(held + part.length);
    all.set(waiting);
    for (let i = 0; i < part.length; i++) all[held + i] = (part[i] ?? 0) * gain;
    waiting = all.slice(part.length);
    // In place, because samples are read ahead of those that are changed.
    const out = all.subarray(0, part.length);
    const count = part.length / 2;
    for (let i = 0; i < count; i++) {
      const factor = follow(peakAt(all, i + AHEAD));
      out[i * 2] = (out[i * 2] ?? 0) * factor;
      out[i * 2 + 1] = (out[i * 2 + 1] ?? 0) * factor;
    }
    const skipped = Math.min(toSkip, count);
    toSkip -= skipped;
    yield out.subarray(skipped * 2);
  }
}

async function* withEnd(parts: AsyncIterable<Samples> | Iterable<Samples>, silence: number): AsyncGenerator<Samples> {
  yield* parts;
  yield new Float32Array(silence * 2);
}

/** Returns the highest level from a sample up to the next one, of both sides. */
function peakAt(stereo: Samples, sample: number): number {
  const at = sample * 2;
  let peak = Math.max(Math.abs(stereo[at] ?? 0), Math.abs(stereo[at + 1] ?? 0));
  if (peak < CEILING * SURE || sample < HALF - 1) return peak;
  const from = at - (HALF - 1) * 2;
  for (const kernel of KERNELS) {
    let left = 0;
    let right = 0;
    for (let i = 0; i < TAPS; i++) {
      const weight = kernel[i] ?? 0;
      left += weight * (stereo[from + i * 2] ?? 0);
      right += weight * (stereo[from + i * 2 + 1] ?? 0);
    }
    peak = Math.max(peak, Math.abs(left), Math.abs(right));
  }
  return peak;
}

/**
 * Gets the peak that comes in `AHEAD` samples and returns the factor for now: the least that a peak ahead needs,
 * averaged over as many samples, so that it is reached when the peak comes.
 */
function createGainFollower(): (peak: number) => number {
  const needed = new Float64Array(AHEAD).fill(1);
  const recent = new Float64Array(AHEAD).fill(1);
  const release = 1 - Math.exp(-1 / (RELEASE * SAMPLE_RATE));
  let at = 0;
  let least = 1;
  let leastAge = 0;
  let held = 1;
  let sum = AHEAD;
  return (peak) => {
    const need = peak > CEILING ? CEILING / peak : 1;
    needed[at] = need;
    leastAge++;
    if (need <= least) {
      least = need;
      leastAge = 0;
    } else if (leastAge >= AHEAD) {
      least = 1;
      for (let i = 0; i < AHEAD; i++) {
        const value = needed[(at + 1 + i) % AHEAD] ?? 1;
        if (value > least) continue;
        least = value;
        leastAge = AHEAD - 1 - i;
      }
    }
    held = least < held ? least : held + (least - held) * release;
    sum += held - (recent[at] ?? 1);
    recent[at] = held;
    at = at + 1 === AHEAD ? 0 : at + 1;
    return Math.min(1, sum / AHEAD);
  };
}
