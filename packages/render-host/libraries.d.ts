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

/** The part of `seek-bzip` 2.0.0 (JavaScript without types) that `bunzip-worker.ts` uses. */
declare module 'seek-bzip' {
  interface ByteSource {
    readByte(): number;
    read(buffer: Buffer, offset: number, length: number): number;
  }
  interface ByteSink {
    writeByte(byte: number): void;
  }
  const Bunzip: {
    /** Decodes one bzip2 stream. Throws a TypeError for corrupted data, and the errors of source and sink. */
    decode(input: ByteSource, output: ByteSink): void;
  };
  export = Bunzip;
}
