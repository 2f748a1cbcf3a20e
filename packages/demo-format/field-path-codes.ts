/**
 * The steps from one field path to the next, in the order of the format, each with the weight that its Huffman code is
 * built from. Weight 0 counts as 1. Names and weights are those of the public parsers (manta, clarity, deadem).
 */
const WEIGHTS = {
  plusOne: 36271,
  plusTwo: 10334,
  plusThree: 1375,
  plusFour: 646,
  plusN: 4128,
  pushOneLeftZeroRightZero: 35,
  pushOneLeftZeroRightNonZero: 3,
  pushOneLeftOneRightZero: 521,
  pushOneLeftOneRightNonZero: 2942,
  pushOneLeftNRightZero: 560,
  pushOneLeftNRightNonZero: 471,
  pushOneLeftNRightNonZeroPack6: 10530,
  pushOneLeftNRightNonZeroPack8: 251,
  pushTwoLeftZero: 0,
  pushTwoPack5LeftZero: 0,
  pushThreeLeftZero: 0,
  pushThreePack5LeftZero: 0,
  pushTwoLeftOne: 0,
  pushTwoPack5LeftOne: 0,
  pushThreeLeftOne: 0,
  pushThreePack5LeftOne: 0,
  pushTwoLeftN: 0,
  pushTwoPack5LeftN: 0,
  pushThreeLeftN: 0,
  pushThreePack5LeftN: 0,
  pushN: 0,
  pushNAndNonTopological: 310,
  popOnePlusOne: 2,
  popOnePlusN: 0,
  popAllButOnePlusOne: 1837,
  popAllButOnePlusN: 149,
  popAllButOnePlusNPack3: 300,
  popAllButOnePlusNPack6: 634,
  popNPlusOne: 0,
  popNPlusN: 0,
  popNAndNonTopological: 1,
  nonTopological: 76,
  nonTopologicalPenultimatePlusOne: 271,
  nonTopologicalPack4: 99,
  finish: 25474,
} as const;

export type FieldPathOp = keyof typeof WEIGHTS;

interface Code {
  readonly bits: number;
  readonly length: number;
}

interface Node {
  readonly weight: number;
  readonly order: number;
  readonly op?: FieldPathOp;
  readonly children?: readonly [Node, Node];
}

/** Joins the two lightest nodes until one is left. Of equal ones the later is lighter. Bit 0 is the first child. */
function buildCodes(): ReadonlyMap<FieldPathOp, Code> {
  const ops = Object.keys(WEIGHTS) as FieldPathOp[];
  const nodes: Node[] = ops.map((op, order) => ({ weight: Math.max(WEIGHTS[op], 1), order, op }));
  for (let order = nodes.length; nodes.length > 1; order++) {
    nodes.sort((a, b) => b.weight - a.weight || a.order - b.order);
    const first = nodes.pop();
    const second = nodes.pop();
    if (first === undefined || second === undefined) break;
    nodes.push({ weight: first.weight + second.weight, order, children: [first, second] });
  }
  const codes = new Map<FieldPathOp, Code>();
  const walk = (node: Node | undefined, bits: number, length: number): void => {
    if (node?.op !== undefined) codes.set(node.op, { bits, length });
    node?.children?.forEach((child, side) => {
      walk(child, bits | (side << length), length + 1);
    });
  };
  walk(nodes[0], 0, 0);
  return codes;
}

/** The Huffman code of each step, first bit lowest. */
export const FIELD_PATH_CODES = buildCodes();
