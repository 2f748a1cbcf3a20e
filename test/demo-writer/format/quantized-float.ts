import type { BitWriter } from '#demo-format/bit-writer.ts';
import { QUANTIZED, type QuantizedFloatSpec } from '#demo-format/game.ts';

/**
 * Writes a float as a count of equal steps between two ends. Throws for flags other than the two that the written
 * classes use, because the reader would lose its place in the stream.
 */
export function createQuantizedFloat(spec: QuantizedFloatSpec): { write(out: BitWriter, value: number): void } {
  const { bitCount, low, encodeFlags } = spec;
  if ((encodeFlags & ~(QUANTIZED.roundDown | QUANTIZED.encodeZero)) !== 0)
    throw new Error(`unknown encode flags ${encodeFlags}`);
  const steps = 2 ** bitCount;
  const topless = (encodeFlags & QUANTIZED.roundDown) !== 0;
  const high = topless ? spec.high - (spec.high - low) / steps : spec.high;
  const perUnit = (steps - 1) / (high - low);
  // Readers ignore the zero bit if a step is zero.
  const zeroStep = Math.floor(-low * perUnit);
  const zeroBit = (encodeFlags & QUANTIZED.encodeZero) !== 0 && low + zeroStep / perUnit !== 0;
  return {
    write(out, value) {
      if (zeroBit) {
        out.bit(value === 0);
        if (value === 0) return;
      }
      const step = Math.round((value - low) * perUnit);
      out.bits(Math.min(Math.max(step, 0), steps - 1), bitCount);
    },
  };
}
