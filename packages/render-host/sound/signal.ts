/** Mono or interleaved stereo, -1 to 1. */
export type Samples = Float32Array;

/** Sound part by part. */
export type Parts = AsyncIterable<Samples> | Iterable<Samples>;

/** Samples a second. */
export const SAMPLE_RATE = 48_000;
/** Bytes of a sample of both sides. */
export const SAMPLE_BYTES = 8;

/** Returns uniform noise between -1 and 1, the same for the same seed (Mulberry32). */
export function createNoise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2_147_483_648 - 1;
  };
}

/** Returns the factor of a new sample in a one-pole low-pass with a cutoff in hertz. */
export function poleOf(cutoff: number): number {
  return 1 - Math.exp((-2 * Math.PI * Math.min(cutoff, SAMPLE_RATE * 0.45)) / SAMPLE_RATE);
}

export interface BurstShape {
  readonly seconds: number;
  /** The lowest and highest frequency in hertz. */
  readonly above: number;
  readonly below: number;
  /** Seconds until a third is left. */
  readonly decay: number;
  /** Seconds of the attack; default 0. */
  readonly attack?: number;
  /** The highest frequency falls to this as the sound decays; default: it stays. */
  readonly sinksTo?: number;
  /** Random changes of the level a second, for gusts and flames; default 0. */
  readonly flutter?: number;
}

/** Samples between two values of what changes slowly. */
const SLOWLY = 64;

/** Makes a burst of noise, for cracks, bangs, hisses and steps. */
export function burst(shape: BurstShape, seed: number): Samples {
  const { seconds, above, below, decay, attack = 0, sinksTo = below, flutter = 0 } = shape;
  const random = createNoise(seed);
  const out = new Float32Array(Math.ceil(seconds * SAMPLE_RATE));
  const follow = poleOf(flutter);
  const every = flutter === 0 ? Infinity : Math.round(SAMPLE_RATE / flutter);
  let level = 1;
  let wanted = 1;
  let low = poleOf(below);
  const high = poleOf(above);
  let first = 0;
  let second = 0;
  let floor = 0;
  for (let i = 0; i < out.length; i++) {
    const time = i / SAMPLE_RATE;
    if (i % SLOWLY === 0) low = poleOf(sinksTo + (below - sinksTo) * Math.exp(-time / decay));
    if (i % every === 0 && i > 0) wanted = 0.35 + random() ** 2;
    level += (wanted - level) * follow;
    first += (random() - first) * low;
    second += (first - second) * low;
    floor += (second - floor) * high;
    const rise = attack === 0 ? 1 : 1 - Math.exp(-time / (attack / 3));
    out[i] = (second - floor) * rise * level * Math.exp(-time / decay);
  }
  return normalized(out);
}

export interface ToneShape {
  readonly seconds: number;
  /** Hertz at its start and, nearly, its end; `to` is `from` by default. */
  readonly from: number;
  readonly to?: number;
  readonly decay: number;
  readonly attack?: number;
  /** Seconds of the glide; default `decay`. */
  readonly glide?: number;
}

/** Makes a sine that may glide, for thumps, beeps and bells. */
export function tone({ seconds, from, to = from, decay, attack = 0.001, glide = decay }: ToneShape): Samples {
  const out = new Float32Array(Math.ceil(seconds * SAMPLE_RATE));
  let phase = 0;
  for (let i = 0; i < out.length; i++) {
    const time = i / SAMPLE_RATE;
    const hertz = to + (from - to) * Math.exp(-time / glide);
    phase += (2 * Math.PI * hertz) / SAMPLE_RATE;
    out[i] = Math.sin(phase) * Math.min(1, time / attack) * Math.exp(-time / decay);
  }
  return out;
}

/** A part of a sound, from a second on, with its loudness. */
export interface Layer {
  readonly samples: Samples;
  readonly gain: number;
  readonly at?: number;
}

/** Mixes layers, slightly overdriven. The loudest sample is 1, the end silent. */
export function layered(layers: readonly Layer[], drive = 1): Samples {
  const startOf = ({ at = 0 }: Layer): number => Math.round(at * SAMPLE_RATE);
  const out = new Float32Array(Math.max(...layers.map((layer) => startOf(layer) + layer.samples.length)));
  for (const layer of layers) {
    const start = startOf(layer);
    for (let i = 0; i < layer.samples.length; i++)
      out[start + i] = (out[start + i] ?? 0) + layer.gain * (layer.samples[i] ?? 0);
  }
  for (let i = 0; i < out.length; i++) out[i] = Math.tanh((out[i] ?? 0) * drive);
  const tail = Math.min(out.length, Math.round(0.02 * SAMPLE_RATE));
  for (let i = 0; i < tail; i++) out[out.length - 1 - i] = (out[out.length - 1 - i] ?? 0) * (i / tail);
  return normalized(out);
}

function normalized(samples: Samples): Samples {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  if (peak > 0) for (let i = 0; i < samples.length; i++) samples[i] = (samples[i] ?? 0) / peak;
  return samples;
}

/** The level of the air: 50 dB below full scale before a clip is brought to its loudness. */
const GAIN = 0.013;
/** Samples until the air repeats, and of the cross-fade that makes the repetition inaudible. */
const LOOP = 8 * SAMPLE_RATE;
const OVERLAP = SAMPLE_RATE / 2;
/** Samples of the fades at the ends of a clip. */
const FADE = 0.05 * SAMPLE_RATE;

let made: Samples | undefined;

/**
 * Adds a faint wind to interleaved stereo, so that no clip is silent between its sounds. `first` is the position of the
 * part in a clip of `length`, in samples. The wind continues over cuts. Left and right get different parts of it.
 */
export function addAir(mix: Samples, first: number, length: number): void {
  made ??= makeAir();
  let left = first % LOOP;
  let right = (first + LOOP / 2) % LOOP;
  for (let i = 0; i < mix.length; i += 2) {
    const toEnd = Math.min(first + i / 2, length - 1 - first - i / 2);
    const gain = toEnd < FADE ? (GAIN * toEnd) / FADE : GAIN;
    mix[i] = (mix[i] ?? 0) + gain * (made[left] ?? 0);
    mix[i + 1] = (mix[i + 1] ?? 0) + gain * (made[right] ?? 0);
    left = left + 1 === LOOP ? 0 : left + 1;
    right = right + 1 === LOOP ? 0 : right + 1;
  }
}

function makeAir(): Samples {
  const seconds = (LOOP + OVERLAP) / SAMPLE_RATE;
  const air = layered([
    { samples: burst({ seconds, above: 90, below: 1100, decay: Infinity }, 500), gain: 0.6 },
    { samples: burst({ seconds, above: 250, below: 3000, decay: Infinity, flutter: 0.8 }, 501), gain: 0.6 },
  ]);
  for (let i = 0; i < OVERLAP; i++) {
    const part = i / OVERLAP;
    air[i] = (air[i] ?? 0) * Math.sqrt(part) + (air[LOOP + i] ?? 0) * Math.sqrt(1 - part);
  }
  return air;
}
