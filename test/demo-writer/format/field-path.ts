import type { BitWriter } from '#demo-format/bit-writer.ts';
import { FIELD_PATH_CODES, type FieldPathOp } from '#demo-format/field-path-codes.ts';

/** Indices from the class's serializer down to one field, such as `[9, 3]`. */
export type FieldPath = readonly number[];

const START: FieldPath = [-1];

/**
 * Writes the paths of a change, and the end mark. Each path is written as the difference from the one before, so fields
 * in ascending order are cheap.
 */
export function writeFieldPaths(out: BitWriter, paths: Iterable<FieldPath>): void {
  let from = START;
  for (const to of paths) {
    writeStep(out, from, to);
    from = to;
  }
  writeFieldPathOp(out, 'finish');
}

/** Writes one step from a path to another. Any two paths have an encoding, also backwards. */
function writeStep(out: BitWriter, from: FieldPath, to: FieldPath): void {
  const last = from.length - 1;
  const shared = commonPrefix(from, to);
  const step = (to[last] ?? 0) - (from[last] ?? 0);
  const topStep = (to[0] ?? 0) - (from[0] ?? 0);
  if (to.length === from.length && shared === last && step > 0) {
    writePlus(out, step);
  } else if (to.length === from.length + 1 && shared >= last && step >= 0) {
    writePushOne(out, step, to[last + 1] ?? 0);
  } else if (to.length === 1 && from.length > 1 && topStep > 0) {
    writePopAll(out, topStep);
  } else if (to.length > from.length) {
    writeFieldPathOp(out, 'pushNAndNonTopological');
    writeDeltas(out, from, to, from.length, 1);
    out.uBitVar(to.length - from.length);
    for (const index of to.slice(from.length)) out.fieldPathUint(index);
  } else if (to.length < from.length) {
    writeFieldPathOp(out, 'popNAndNonTopological');
    out.fieldPathUint(from.length - to.length);
    writeDeltas(out, from, to, to.length, 0);
  } else {
    writeFieldPathOp(out, 'nonTopological');
    writeDeltas(out, from, to, to.length, 0);
  }
}

function commonPrefix(a: FieldPath, b: FieldPath): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

const SMALL_PLUS = ['plusOne', 'plusTwo', 'plusThree', 'plusFour'] as const;

function writePlus(out: BitWriter, step: number): void {
  const small = SMALL_PLUS[step - 1];
  writeFieldPathOp(out, small ?? 'plusN');
  if (small === undefined) out.fieldPathUint(step - 5);
}

/** Advances the last index by `left`, then goes one level down to index `right`. */
function writePushOne(out: BitWriter, left: number, right: number): void {
  if (left < 2) {
    const side = left === 0 ? 'Zero' : 'One';
    writeFieldPathOp(out, right === 0 ? `pushOneLeft${side}RightZero` : `pushOneLeft${side}RightNonZero`);
    if (right > 0) out.fieldPathUint(right);
  } else if (right === 0) {
    writeFieldPathOp(out, 'pushOneLeftNRightZero');
    out.fieldPathUint(left);
  } else if (left - 2 < 8 && right - 1 < 8) {
    writeFieldPathOp(out, 'pushOneLeftNRightNonZeroPack6');
    out.bits(left - 2, 3);
    out.bits(right - 1, 3);
  } else if (left - 2 < 16 && right - 1 < 16) {
    writeFieldPathOp(out, 'pushOneLeftNRightNonZeroPack8');
    out.bits(left - 2, 4);
    out.bits(right - 1, 4);
  } else {
    writeFieldPathOp(out, 'pushOneLeftNRightNonZero');
    out.fieldPathUint(left - 2);
    out.fieldPathUint(right - 1);
  }
}

/** Goes up to the top level and advances by `step`. */
function writePopAll(out: BitWriter, step: number): void {
  if (step === 1) {
    writeFieldPathOp(out, 'popAllButOnePlusOne');
  } else if (step <= 8) {
    writeFieldPathOp(out, 'popAllButOnePlusNPack3');
    out.bits(step - 1, 3);
  } else if (step <= 64) {
    writeFieldPathOp(out, 'popAllButOnePlusNPack6');
    out.bits(step - 1, 6);
  } else {
    writeFieldPathOp(out, 'popAllButOnePlusN');
    out.fieldPathUint(step - 1);
  }
}

/** Writes for each of the first `count` levels whether it changes, and by how much. The reader adds `bias`. */
function writeDeltas(out: BitWriter, from: FieldPath, to: FieldPath, count: number, bias: number): void {
  for (let level = 0; level < count; level++) {
    const delta = (to[level] ?? 0) - (from[level] ?? 0);
    out.bit(delta !== 0);
    if (delta !== 0) out.varInt32(delta - bias);
  }
}

/** Writes the code of a step. The caller writes its operands. */
function writeFieldPathOp(out: BitWriter, op: FieldPathOp): void {
  const code = FIELD_PATH_CODES.get(op);
  if (code === undefined) throw new Error(`no code for ${op}`);
  out.bits(code.bits, code.length);
}
