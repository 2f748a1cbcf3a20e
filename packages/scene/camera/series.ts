/**
 * A value over the ticks of a shot. It is computed every `STEP` ticks before drawing starts, so that what depends on
 * past and future (a smooth camera, labels that do not flicker) can be read for each frame alone.
 */
export interface Series {
  at(tick: number): number;
}

/** Ticks between two samples: 16 a second. */
export const STEP = 4;

/** Returns the ticks of the samples from `startTick` to `endTick`. */
export function sampleTicks(startTick: number, endTick: number): number[] {
  const count = Math.ceil((endTick - startTick) / STEP) + 1;
  return Array.from({ length: count }, (_, i) => startTick + i * STEP);
}

/** Reads between samples linearly. Before the first and after the last sample the value stays. */
export function createSeries(startTick: number, samples: Float64Array): Series {
  const last = samples.length - 1;
  return {
    at(tick) {
      const position = Math.min(Math.max((tick - startTick) / STEP, 0), last);
      const i = Math.floor(position);
      const from = samples[i] ?? 0;
      return from + ((samples[Math.min(i + 1, last)] ?? from) - from) * (position - i);
    },
  };
}

/**
 * Reads along a uniform cubic B-spline, for what moves by itself: speed and acceleration change without a step. The
 * curve passes near single samples, and through even ones. Before the first and after the last sample the value stays.
 */
export function createSoftSeries(startTick: number, samples: Float64Array): Series {
  const last = samples.length - 1;
  const inside = (i: number): number => samples[Math.min(Math.max(i, 0), last)] ?? 0;
  const sample = (i: number): number => {
    if (i < 0) return 2 * inside(0) - inside(-i);
    return i > last ? 2 * inside(last) - inside(2 * last - i) : inside(i);
  };
  return {
    at(tick) {
      const position = Math.min(Math.max((tick - startTick) / STEP, 0), last);
      const i = Math.floor(position);
      const t = position - i;
      const rest = 1 - t;
      const sum =
        rest ** 3 * sample(i - 1) +
        (4 - 6 * t * t + 3 * t ** 3) * sample(i) +
        (4 - 6 * rest * rest + 3 * rest ** 3) * sample(i + 1) +
        t ** 3 * sample(i + 2);
      return sum / 6;
    },
  };
}

/**
 * Blurs samples by a raised cosine over `reach` samples to either side. The result is exact where samples have been
 * even for so long. The first and last sample continue beyond the ends.
 */
export function smoothed(samples: Float64Array, reach: number): Float64Array {
  const span = Math.ceil(reach);
  const weights = Array.from({ length: span * 2 + 1 }, (_, i) => 1 + Math.cos((Math.PI * (i - span)) / (span + 1)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const last = samples.length - 1;
  return samples.map((_, i) => {
    let sum = 0;
    for (let k = -span; k <= span; k++) {
      sum += (weights[k + span] ?? 0) * (samples[Math.min(Math.max(i + k, 0), last)] ?? 0);
    }
    return sum / total;
  });
}
