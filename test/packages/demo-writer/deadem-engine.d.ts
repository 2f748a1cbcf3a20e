/** The parts of `@deademx/engine` 3.4.1 (plain JavaScript) that serve as the reading side of the format tests. */
declare module '@deademx/engine/src/core/BitBuffer.js' {
  class BitBuffer {
    constructor(bytes: Uint8Array);
    readBit(): boolean;
    readBitsAsUInt(count: number): number;
    readUInt32(): number;
    readUVarInt(): number;
    readUVarInt32(): number;
    readVarInt32(): number;
    readUVarInt64(): bigint;
    readUInt64(): bigint;
    readFloat32(): number;
    readUVarIntFieldPath(): number;
    readString(): string;
    getReadCount(): number;
  }
  export = BitBuffer;
}

declare module '@deademx/engine/src/extractors/FieldPathExtractor.js' {
  import type BitBuffer from '@deademx/engine/src/core/BitBuffer.js';

  class FieldPathExtractor {
    constructor(bits: BitBuffer);
    all(): { readonly path: readonly number[] }[];
  }
  export = FieldPathExtractor;
}
