import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BitWriter } from '#demo-format/bit-writer.ts';
import { writeFieldPaths } from '#demo-writer/format/field-path.ts';
import { createQuantizedFloat } from '#demo-writer/format/quantized-float.ts';
import { BitReader } from '#render-host/source2/bit-reader.ts';
import { createFieldPathReader, PATH_DEPTH } from '#render-host/source2/field-path.ts';

/** One value, how it is written and how the host's reader reads it. */
interface Item {
  readonly value: unknown;
  readonly write: (out: BitWriter) => void;
  readonly read: (bits: BitReader) => unknown;
}

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const item = (write: (out: BitWriter) => void, value: unknown, read: Item['read']): Item => ({ value, write, read });

const items = fc.oneof(
  fc.boolean().map((value) =>
    item(
      (out) => out.bit(value),
      value,
      (bits) => bits.bit(),
    ),
  ),
  fc
    .integer({ min: 1, max: 30 })
    .chain((count) => fc.integer({ min: 0, max: 2 ** count - 1 }).map((value) => ({ count, value })))
    .map(({ count, value }) =>
      item(
        (out) => out.bits(value, count),
        value,
        (bits) => bits.bits(count),
      ),
    ),
  uint32.map((value) =>
    item(
      (out) => out.bits(value, 32),
      value,
      (bits) => bits.bits(32),
    ),
  ),
  uint32.map((value) =>
    item(
      (out) => out.varUint32(value),
      value,
      (bits) => bits.varUint32(),
    ),
  ),
  fc.integer().map((value) =>
    item(
      (out) => out.varInt32(value),
      value,
      (bits) => bits.varInt32(),
    ),
  ),
  uint64.map((value) =>
    item(
      (out) => out.varUint64(value),
      value,
      (bits) => bits.varUint64(),
    ),
  ),
  uint64.map((value) =>
    item(
      (out) => out.fixed64(value),
      value,
      (bits) => bits.fixed64(),
    ),
  ),
  uint32.map((value) =>
    item(
      (out) => out.uBitVar(value),
      value,
      (bits) => bits.uBitVar(),
    ),
  ),
  fc.integer({ min: 0, max: 2 ** 30 }).map((value) =>
    item(
      (out) => out.fieldPathUint(value),
      value,
      (bits) => bits.fieldPathUint(),
    ),
  ),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) =>
    item(
      (out) => out.float32(value),
      value,
      (bits) => bits.float32(),
    ),
  ),
  fc
    .string({ unit: 'grapheme' })
    .filter((text) => !text.includes('\0') && text.isWellFormed())
    .map((value) =>
      item(
        (out) => out.string(value),
        value,
        (bits) => bits.string(),
      ),
    ),
);

describe('the bit writer', () => {
  it("writes any run of values so that the host's reader finds them again", () => {
    fc.assert(
      fc.property(fc.array(items, { maxLength: 40 }), (run) => {
        const out = new BitWriter(1);
        for (const { write } of run) write(out);
        const bits = BitReader.of(out.toBytes());
        expect(run.map(({ read }) => read(bits))).toEqual(run.map(({ value }) => value));
        expect(bits.position).toBe(out.bitLength);
      }),
    );
  });

  it('appends another stream at any bit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 31 }), fc.array(items, { maxLength: 20 }), (lead, run) => {
        const inner = new BitWriter();
        for (const { write } of run) write(inner);
        const out = new BitWriter();
        out.bits(0, lead);
        out.append(inner);
        const bits = BitReader.of(out.toBytes());
        if (lead > 0) bits.bits(lead);
        expect(run.map(({ read }) => read(bits))).toEqual(run.map(({ value }) => value));
      }),
    );
  });

  it('starts afresh once cleared', () => {
    const out = new BitWriter();
    out.bits(0xffffffff, 32);
    out.clear();
    out.bits(0, 5);
    expect(out.bitLength).toBe(5);
    expect([...out.toBytes()]).toEqual([0]);
  });
});

describe('field paths', () => {
  const readFieldPaths = createFieldPathReader();
  const path = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 5 });

  it('come back in any order and depth', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 30 }), (paths) => {
        const out = new BitWriter();
        writeFieldPaths(out, paths);
        const bits = BitReader.of(out.toBytes());
        const { count, depths, parts } = readFieldPaths(bits);
        const found = Array.from({ length: count }, (_, i) => {
          const at = i * PATH_DEPTH;
          return [...parts.subarray(at, at + (depths[i] ?? 0))];
        });
        expect(found).toEqual(paths);
        expect(bits.position).toBe(out.bitLength);
      }),
    );
  });

  it('cost little in ascending order: a step to the next field is two bits', () => {
    const out = new BitWriter();
    writeFieldPaths(
      out,
      Array.from({ length: 50 }, (_, index) => [index]),
    );
    expect(out.bitLength).toBeLessThan(50 * 2);
  });
});

describe('a quantized float', () => {
  it('is off by no more than half a step', () => {
    const spec = { bitCount: 15, low: 0, high: 1024, encodeFlags: 1 };
    const codec = createQuantizedFloat(spec);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1023.9, noNaN: true }), (value) => {
        const out = new BitWriter();
        codec.write(out, value);
        expect(out.bitLength).toBe(15);
        const step = BitReader.of(out.toBytes()).bits(15);
        expect(Math.abs(step / 32 - value)).toBeLessThanOrEqual(1 / 64 + 1e-9);
      }),
    );
  });

  it('refuses flags it does not know, since a reader would lose its place', () => {
    expect(() => createQuantizedFloat({ bitCount: 8, low: 0, high: 1, encodeFlags: 8 })).toThrow(/encode flags/);
  });
});
