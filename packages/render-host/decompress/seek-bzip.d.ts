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
