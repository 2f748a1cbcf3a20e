/** Mono or interleaved stereo, -1 to 1. */
export type Samples = Float32Array;

/** Samples a second. */
export const SAMPLE_RATE = 48_000;

/** Even noise between -1 and 1, the same for the same seed (Mulberry32). */
export function createNoise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2_147_483_648 - 1;
  };
}

/** Share of the new sample in a one-pole low-pass of a cutoff in hertz. */
export function poleOf(cutoff: number): number {
  return 1 - Math.exp((-2 * Math.PI * Math.min(cutoff, SAMPLE_RATE * 0.45)) / SAMPLE_RATE);
}

export interface BurstShape {
  readonly seconds: number;
  /** Hertz: what is left of the noise lies between them. */
  readonly above: number;
  readonly below: number;
  /** Seconds until a third is left. */
  readonly decay: number;
  /** Seconds until it is there; none where left out. */
  readonly attack?: number;
}

/** A burst of noise: what cracks, bangs, hisses and steps are made of. */
export function burst(shape: BurstShape, seed: number): Samples {
  const { seconds, above, below, decay, attack = 0 } = shape;
  const random = createNoise(seed);
  const out = new Float32Array(Math.ceil(seconds * SAMPLE_RATE));
  const low = poleOf(below);
  const high = poleOf(above);
  let first = 0;
  let second = 0;
  let floor = 0;
  for (let i = 0; i < out.length; i++) {
    const time = i / SAMPLE_RATE;
    first += (random() - first) * low;
    second += (first - second) * low;
    floor += (second - floor) * high;
    const rise = attack === 0 ? 1 : 1 - Math.exp(-time / (attack / 3));
    out[i] = (second - floor) * rise * Math.exp(-time / decay);
  }
  return normalized(out);
}

export interface ToneShape {
  readonly seconds: number;
  /** Hertz at its start and, nearly, its end. */
  readonly from: number;
  readonly to: number;
  readonly decay: number;
  readonly attack?: number;
  /** Seconds in which it falls or rises; `decay` where left out. */
  readonly glide?: number;
}

/** A sine that may glide: thumps, beeps and bells. */
export function tone({ seconds, from, to, decay, attack = 0.001, glide = decay }: ToneShape): Samples {
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

/** A sound in another, from a second on, so loud. */
export interface Layer {
  readonly samples: Samples;
  readonly gain: number;
  readonly at?: number;
}

/** Layers over each other, driven a little into softness; its loudest sample is 1, its end silent. */
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
