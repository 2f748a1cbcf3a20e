import { FIELD_PATH_CODES, type FieldPathOp } from '#demo-format/field-path-codes.ts';
import type { BitReader } from './bit-reader.ts';

/** The most indices of a path. The deepest class nests half as deep. */
export const PATH_DEPTH = 8;
/** The most fields of an update. More is damage. */
const MOST_FIELDS = 16_384;

/** The paths of one update: `depths[i]` indices each, from `parts[i * PATH_DEPTH]` on. */
export interface FieldPaths {
  readonly count: number;
  readonly depths: Uint8Array;
  readonly parts: Int32Array;
}

/** A path that steps change. */
class Path {
  readonly parts = new Int32Array(PATH_DEPTH);
  last = 0;

  add(amount: number): void {
    this.parts[this.last] = (this.parts[this.last] ?? 0) + amount;
  }

  addAt(level: number, amount: number): void {
    this.parts[level] = (this.parts[level] ?? 0) + amount;
  }

  push(index: number): void {
    if (this.last + 1 >= PATH_DEPTH) throw new Error('a field path goes too deep');
    this.last += 1;
    this.parts[this.last] = index;
  }

  pop(levels: number): void {
    if (levels > this.last) throw new Error('a field path goes above its class');
    for (let i = 0; i < levels; i++) this.parts[this.last--] = 0;
  }
}

type Step = (bits: BitReader, path: Path) => void;

const pushes =
  (count: number, read: (bits: BitReader) => number): Step =>
  (bits, path) => {
    for (let i = 0; i < count; i++) path.push(read(bits));
  };
const uint = (bits: BitReader): number => bits.fieldPathUint();
const five = (bits: BitReader): number => bits.bits(5);
const after =
  (move: Step, then: Step): Step =>
  (bits, path) => {
    move(bits, path);
    then(bits, path);
  };
const plus =
  (amount: number): Step =>
  (_, path) =>
    path.add(amount);
const plusTwoAndMore: Step = (bits, path) => path.add(bits.uBitVar() + 2);
const popAll =
  (plusMore: (bits: BitReader) => number): Step =>
  (bits, path) => {
    path.pop(path.last);
    path.add(plusMore(bits) + 1);
  };
const eachLevel =
  (amount: (bits: BitReader) => number): Step =>
  (bits, path) => {
    for (let level = 0; level <= path.last; level++) if (bits.bit()) path.addAt(level, amount(bits));
  };
const signed = (bits: BitReader): number => bits.varInt32();

/** The changes of the path by each step, in the order of the format. */
const STEPS: Readonly<Record<FieldPathOp, Step>> = {
  plusOne: plus(1),
  plusTwo: plus(2),
  plusThree: plus(3),
  plusFour: plus(4),
  plusN: (bits, path) => path.add(bits.fieldPathUint() + 5),
  pushOneLeftZeroRightZero: pushes(1, () => 0),
  pushOneLeftZeroRightNonZero: pushes(1, uint),
  pushOneLeftOneRightZero: after(
    plus(1),
    pushes(1, () => 0),
  ),
  pushOneLeftOneRightNonZero: after(plus(1), pushes(1, uint)),
  pushOneLeftNRightZero: (bits, path) => {
    path.add(bits.fieldPathUint());
    path.push(0);
  },
  pushOneLeftNRightNonZero: (bits, path) => {
    path.add(bits.fieldPathUint() + 2);
    path.push(bits.fieldPathUint() + 1);
  },
  pushOneLeftNRightNonZeroPack6: (bits, path) => {
    path.add(bits.bits(3) + 2);
    path.push(bits.bits(3) + 1);
  },
  pushOneLeftNRightNonZeroPack8: (bits, path) => {
    path.add(bits.bits(4) + 2);
    path.push(bits.bits(4) + 1);
  },
  pushTwoLeftZero: pushes(2, uint),
  pushTwoPack5LeftZero: pushes(2, five),
  pushThreeLeftZero: pushes(3, uint),
  pushThreePack5LeftZero: pushes(3, five),
  pushTwoLeftOne: after(plus(1), pushes(2, uint)),
  pushTwoPack5LeftOne: after(plus(1), pushes(2, five)),
  pushThreeLeftOne: after(plus(1), pushes(3, uint)),
  pushThreePack5LeftOne: after(plus(1), pushes(3, five)),
  pushTwoLeftN: after(plusTwoAndMore, pushes(2, uint)),
  pushTwoPack5LeftN: after(plusTwoAndMore, pushes(2, five)),
  pushThreeLeftN: after(plusTwoAndMore, pushes(3, uint)),
  pushThreePack5LeftN: after(plusTwoAndMore, pushes(3, five)),
  pushN: (bits, path) => {
    const count = bits.uBitVar();
    path.add(bits.uBitVar());
    pushes(count, uint)(bits, path);
  },
  pushNAndNonTopological: after(
    eachLevel((bits) => bits.varInt32() + 1),
    (bits, path) => pushes(bits.uBitVar(), uint)(bits, path),
  ),
  popOnePlusOne: (_, path) => {
    path.pop(1);
    path.add(1);
  },
  popOnePlusN: (bits, path) => {
    path.pop(1);
    path.add(bits.fieldPathUint() + 1);
  },
  popAllButOnePlusOne: popAll(() => 0),
  popAllButOnePlusN: popAll(uint),
  popAllButOnePlusNPack3: popAll((bits) => bits.bits(3)),
  popAllButOnePlusNPack6: popAll((bits) => bits.bits(6)),
  popNPlusOne: (bits, path) => {
    path.pop(bits.fieldPathUint());
    path.add(1);
  },
  popNPlusN: (bits, path) => {
    path.pop(bits.fieldPathUint());
    path.add(bits.varInt32());
  },
  popNAndNonTopological: after((bits, path) => path.pop(bits.fieldPathUint()), eachLevel(signed)),
  nonTopological: eachLevel(signed),
  nonTopologicalPenultimatePlusOne: (_, path) => path.addAt(path.last - 1, 1),
  nonTopologicalPack4: eachLevel((bits) => bits.bits(4) - 7),
  finish: () => {},
};
const STEP_LIST = Object.values(STEPS);
const FINISH = STEP_LIST.length - 1;
const LONGEST_CODE = 17;

/** The step of the next 17 bits and, above the low byte, the length of its code. */
const CODES = codeTable();

function codeTable(): Uint16Array {
  const table = new Uint16Array(1 << LONGEST_CODE);
  for (const [step, op] of Object.keys(STEPS).entries()) {
    const { bits, length } = FIELD_PATH_CODES.get(op as FieldPathOp) ?? { bits: 0, length: LONGEST_CODE };
    for (let at = bits; at < table.length; at += 1 << length) table[at] = step | (length << 8);
  }
  return table;
}

/** Returns a function that reads an update's paths. Its result is valid until the next call. */
export function createFieldPathReader(): (bits: BitReader) => FieldPaths {
  const depths = new Uint8Array(MOST_FIELDS);
  const parts = new Int32Array(MOST_FIELDS * PATH_DEPTH);
  const found = { count: 0, depths, parts };
  const path = new Path();
  return (bits) => {
    path.parts.fill(0);
    path.parts[0] = -1;
    path.last = 0;
    let count = 0;
    for (;;) {
      const code = CODES[bits.peek(LONGEST_CODE)] ?? 0;
      bits.position += code >>> 8;
      const step = code & 0xff;
      if (step === FINISH) break;
      if (step === 0) path.add(1);
      else STEP_LIST[step]?.(bits, path);
      if (bits.overrun || count >= MOST_FIELDS) throw new Error('an update’s field paths have no end');
      const { last } = path;
      depths[count] = last + 1;
      const at = count * PATH_DEPTH;
      for (let level = 0; level <= last; level++) parts[at + level] = path.parts[level] ?? 0;
      count += 1;
    }
    found.count = count;
    return found;
  };
}
