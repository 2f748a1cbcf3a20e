import type { BitReader } from './bit-reader.ts';

/** Indices a path has at most: the deepest class nests half as far. */
export const PATH_DEPTH = 8;
/** Fields that one update carries at most; more is damage. */
const MOST_FIELDS = 16_384;

/** The paths of one update, one after the other: `depths[i]` indices each from `parts[i * PATH_DEPTH]` on. */
export interface FieldPaths {
  readonly count: number;
  readonly depths: Uint8Array;
  readonly parts: Int32Array;
}

/** A path while it is changed step by step. */
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

/**
 * The steps from a path to the next, in the order of the format, each with the weight that its Huffman code is built
 * from. Facts of the format as the public parsers (manta, clarity, deadem) have them.
 */
const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  [36271, plus(1)],
  [10334, plus(2)],
  [1375, plus(3)],
  [646, plus(4)],
  [4128, (bits, path) => path.add(bits.fieldPathUint() + 5)],
  [35, pushes(1, () => 0)],
  [3, pushes(1, uint)],
  [
    521,
    after(
      plus(1),
      pushes(1, () => 0),
    ),
  ],
  [2942, after(plus(1), pushes(1, uint))],
  [
    560,
    (bits, path) => {
      path.add(bits.fieldPathUint());
      path.push(0);
    },
  ],
  [
    471,
    (bits, path) => {
      path.add(bits.fieldPathUint() + 2);
      path.push(bits.fieldPathUint() + 1);
    },
  ],
  [
    10530,
    (bits, path) => {
      path.add(bits.bits(3) + 2);
      path.push(bits.bits(3) + 1);
    },
  ],
  [
    251,
    (bits, path) => {
      path.add(bits.bits(4) + 2);
      path.push(bits.bits(4) + 1);
    },
  ],
  [0, pushes(2, uint)],
  [0, pushes(2, five)],
  [0, pushes(3, uint)],
  [0, pushes(3, five)],
  [0, after(plus(1), pushes(2, uint))],
  [0, after(plus(1), pushes(2, five))],
  [0, after(plus(1), pushes(3, uint))],
  [0, after(plus(1), pushes(3, five))],
  [0, after(plusTwoAndMore, pushes(2, uint))],
  [0, after(plusTwoAndMore, pushes(2, five))],
  [0, after(plusTwoAndMore, pushes(3, uint))],
  [0, after(plusTwoAndMore, pushes(3, five))],
  [
    0,
    (bits, path) => {
      const count = bits.uBitVar();
      path.add(bits.uBitVar());
      pushes(count, uint)(bits, path);
    },
  ],
  [
    310,
    after(
      eachLevel((bits) => bits.varInt32() + 1),
      (bits, path) => pushes(bits.uBitVar(), uint)(bits, path),
    ),
  ],
  [
    2,
    (_, path) => {
      path.pop(1);
      path.add(1);
    },
  ],
  [
    0,
    (bits, path) => {
      path.pop(1);
      path.add(bits.fieldPathUint() + 1);
    },
  ],
  [1837, popAll(() => 0)],
  [149, popAll(uint)],
  [300, popAll((bits) => bits.bits(3))],
  [634, popAll((bits) => bits.bits(6))],
  [
    0,
    (bits, path) => {
      path.pop(bits.fieldPathUint());
      path.add(1);
    },
  ],
  [
    0,
    (bits, path) => {
      path.pop(bits.fieldPathUint());
      path.add(bits.varInt32());
    },
  ],
  [1, after((bits, path) => path.pop(bits.fieldPathUint()), eachLevel(signed))],
  [76, eachLevel(signed)],
  [271, (_, path) => path.addAt(path.last - 1, 1)],
  [99, eachLevel((bits) => bits.bits(4) - 7)],
  [25474, () => {}],
];
const FINISH = STEPS.length - 1;
const LONGEST_CODE = 17;

/** By the next 17 bits: the step and, above the low byte, the length of its code. */
const CODES = codeTable();

interface Node {
  readonly weight: number;
  readonly order: number;
  readonly step: number;
  readonly children: readonly [Node, Node] | null;
}

/** Joins the two lightest until one is left; among equals the later one counts as lighter. */
function codeTable(): Uint16Array {
  const nodes: Node[] = STEPS.map(([weight], step) => ({
    weight: Math.max(weight, 1),
    order: step,
    step,
    children: null,
  }));
  for (let order = nodes.length; nodes.length > 1; order++) {
    nodes.sort((a, b) => b.weight - a.weight || a.order - b.order);
    const [first, second] = [nodes.pop(), nodes.pop()];
    if (first === undefined || second === undefined) break;
    nodes.push({ weight: first.weight + second.weight, order, step: -1, children: [first, second] });
  }
  const table = new Uint16Array(1 << LONGEST_CODE);
  const fill = (node: Node | undefined, code: number, length: number): void => {
    if (node?.children) {
      for (const [side, child] of node.children.entries()) fill(child, code | (side << length), length + 1);
    } else for (let at = code; at < table.length; at += 1 << length) table[at] = (node?.step ?? 0) | (length << 8);
  };
  fill(nodes[0], 0, 0);
  return table;
}

/** Makes the function that reads an update's paths. What it returns is good until it is called again. */
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
      else STEPS[step]?.[1](bits, path);
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
