/** The part of `seek-bzip` 2.0.0 (plain JavaScript, no types of its own) that `bunzip-worker.ts` uses. */
declare module 'seek-bzip' {
  interface ByteSource {
    readByte(): number;
    read(buffer: Buffer, offset: number, length: number): number;
  }
  interface ByteSink {
    writeByte(byte: number): void;
  }
  const Bunzip: {
    /** Decodes one bzip2 stream. Throws a TypeError on corrupted data, and what the source or sink throw. */
    decode(input: ByteSource, output: ByteSink): void;
  };
  export = Bunzip;
}
