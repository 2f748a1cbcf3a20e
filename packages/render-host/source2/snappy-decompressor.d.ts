/** The part of snappyjs 0.7.0 that writes into the caller's memory. */
declare module 'snappyjs/snappy_decompressor.js' {
  export class SnappyDecompressor {
    constructor(compressed: Uint8Array);
    /** -1 if it is not Snappy data. */
    readUncompressedLength(): number;
    /** false for damaged data. */
    uncompressToBuffer(target: Uint8Array): boolean;
  }
}
