import { burst, layered, SAMPLE_RATE, type Samples } from './signal.ts';

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
