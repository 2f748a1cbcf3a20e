import { QUANTIZED, type QuantizedFloatSpec } from '#demo-format/game.ts';
import type { BitReader } from './bit-reader.ts';

const {
  roundDown: ROUND_DOWN,
  roundUp: ROUND_UP,
  encodeZero: ENCODE_ZERO,
  encodeIntegers: ENCODE_INTEGERS,
} = QUANTIZED;

/**
 * Returns a reader of a float that is sent as a count of equal steps between two ends. Some ends, and zero, may have
 * bits of their own.
 */
export function quantizedFloat({ bitCount, low, high, encodeFlags }: QuantizedFloatSpec): (bits: BitReader) => number {
  let flags = usefulFlags(encodeFlags, low, high);
  let width = bitCount;
  let top = high;
  let bottom = low;
  const step = (high - low) / 2 ** bitCount;
  if ((flags & ROUND_DOWN) !== 0) top -= step;
  else if ((flags & ROUND_UP) !== 0) bottom += step;
  if ((flags & ENCODE_INTEGERS) !== 0) {
    const exponent = Math.ceil(Math.log2(Math.max(top - bottom, 1)));
    width = Math.max(bitCount, exponent);
    top = bottom + 2 ** exponent - 2 ** (exponent - width);
  }
  const steps = 2 ** width - 1;
  const perUnit = multiplier(steps, top - bottom);
  const quantized = (value: number): number =>
    bottom + ((top - bottom) * Math.floor((value - bottom) * perUnit)) / steps;
  // A value on a step needs no bit of its own.
  if ((flags & ROUND_DOWN) !== 0 && quantized(bottom) === bottom) flags &= ~ROUND_DOWN;
  if ((flags & ROUND_UP) !== 0 && quantized(top) === top) flags &= ~ROUND_UP;
  if ((flags & ENCODE_ZERO) !== 0 && quantized(0) === 0) flags &= ~ENCODE_ZERO;
  const range = top - bottom;
  return (bits) => {
    if ((flags & ROUND_DOWN) !== 0 && bits.bit()) return bottom;
    if ((flags & ROUND_UP) !== 0 && bits.bit()) return top;
    if ((flags & ENCODE_ZERO) !== 0 && bits.bit()) return 0;
    return bottom + (range * bits.bits(width)) / steps;
  };
}

function usefulFlags(given: number, low: number, high: number): number {
  let flags = given;
  if (flags === 0) return 0;
  if ((low === 0 && (flags & ROUND_DOWN) !== 0) || (high === 0 && (flags & ROUND_UP) !== 0)) flags &= ~ENCODE_ZERO;
  if (low === 0 && (flags & ENCODE_ZERO) !== 0) flags = (flags | ROUND_DOWN) & ~ENCODE_ZERO;
  if (high === 0 && (flags & ENCODE_ZERO) !== 0) flags = (flags | ROUND_UP) & ~ENCODE_ZERO;
  if (low > 0 || high < 0) flags &= ~ENCODE_ZERO;
  if ((flags & ENCODE_INTEGERS) !== 0) flags &= ~(ROUND_UP | ROUND_DOWN | ENCODE_ZERO);
  return flags;
}

/** Returns the steps a unit, slightly reduced if rounding would put the top value past the last step. */
function multiplier(steps: number, range: number): number {
  if (range <= 0) return steps;
  const exact = steps / range;
  if (exact * range <= steps) return exact;
  return [0.9999, 0.99, 0.9, 0.8, 0.7].map((part) => exact * part).find((value) => value * range <= steps) ?? exact;
}
