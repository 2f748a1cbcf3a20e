/** The part of snappyjs 0.7.0 that writes into memory of the caller's. */
declare module 'snappyjs/snappy_decompressor.js' {
  export class SnappyDecompressor {
    constructor(compressed: Uint8Array);
    /** -1 for data that is not Snappy's. */
    readUncompressedLength(): number;
    /** false for data that is damaged. */
    uncompressToBuffer(target: Uint8Array): boolean;
  }
}
