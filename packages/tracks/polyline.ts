import { type Reader, TracksError, type Writer } from './bytes.ts';

/** How exactly a column is stored: in steps, and how far a value may be from the stored line. */
export interface Precision {
  readonly step: number;
  readonly tolerance: number;
  /** Larger values become this. */
  readonly most: number;
}

/**
 * Writes values as the corners of a line that is never further from a value than the tolerance. Each corner is as far
 * ahead as possible (a swing filter), so a player who stands or runs straight takes few bytes.
 */
export function writeLine(to: Writer, values: ArrayLike<number>, { step, tolerance, most }: Precision): void {
  // A corner is rounded, which costs half a step.
  const reach = tolerance / step - 0.5;
  const stepsAt = (index: number): number => Math.min(Math.max(values[index] || 0, -most), most) / step;
  let corner = Math.round(stepsAt(0));
  to.int(corner);
  for (let at = 0; at < values.length - 1; ) {
    let [least, greatest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    let length = 0;
    for (let next = 1; at + next < values.length; next++) {
      const value = stepsAt(at + next) - corner;
      const low = Math.max(least, (value - reach) / next);
      const high = Math.min(greatest, (value + reach) / next);
      if (low > high) break;
      [least, greatest, length] = [low, high, next];
    }
    const climb = Math.round(((least + greatest) / 2) * length);
    to.uint(length);
    to.int(climb);
    corner += climb;
    at += length;
  }
}

/** Fills `values` with what `writeLine` has written. */
export function readLine(from: Reader, values: Float32Array, { step, most }: Precision): void {
  let corner = from.int();
  values[0] = corner * step;
  for (let at = 0; at < values.length - 1; ) {
    const length = from.uint(values.length - 1 - at);
    if (length === 0) throw new TracksError('a line does not advance');
    const climb = from.int();
    for (let i = 1; i <= length; i++) values[at + i] = (corner + (climb * i) / length) * step;
    corner += climb;
    at += length;
    // The last corner of a line may be rounded past the end.
    if (Math.abs(corner) * step > most + 1) throw new TracksError(`a value is larger than ${most}`);
  }
}
