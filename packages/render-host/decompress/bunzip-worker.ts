/// <reference path="../libraries.d.ts" />
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Bunzip from 'seek-bzip';
import { reasonOf } from '#domain/lib/text.ts';
import { isSystemError } from '../machine/program.ts';
import { checkSize, type UnpackTask } from './unpack-stream.ts';

export type BunzipInput = Omit<UnpackTask, 'signal'>;

/** What the worker posts at the end. `system`: the error was the disk's, not the archive's. */
export type BunzipOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly system: boolean; readonly message: string };

const BUFFER_BYTES = 1 << 20;
/** The most streams of a file. Parallel compressors write one for each 900 KB. An empty stream takes 14 bytes. */
const MAX_STREAMS = 16_384;
const STREAM_MAGIC = [0x42, 0x5a, 0x68];

/** Reads a file byte by byte. Throws past its end, because the decoder would continue with zeros. */
function createSource(fd: number) {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  const { size } = fstatSync(fd);
  let bufferStart = 0;
  let bufferEnd = 0;
  let position = 0;

  function fill(): void {
    bufferStart = position;
    bufferEnd = position + readSync(fd, buffer, 0, BUFFER_BYTES, position);
    if (bufferEnd === bufferStart) throw new Error(`it ends after ${size} bytes, amid a block`);
  }

  const source = {
    readByte(): number {
      if (position >= bufferEnd) fill();
      const byte = buffer[position - bufferStart] ?? 0;
      position += 1;
      return byte;
    },
    read(target: Buffer, offset: number, length: number): number {
      for (let at = 0; at < length; at += 1) target[offset + at] = source.readByte();
      return length;
    },
    /** Returns whether another stream starts here. Anything else is trailing bytes. */
    atStream(): boolean {
      if (position + STREAM_MAGIC.length > size) return false;
      const start = position;
      const found = STREAM_MAGIC.every((byte) => source.readByte() === byte);
      // The buffer is reused, unless looking ahead has replaced it.
      if (start < bufferStart) bufferEnd = 0;
      position = start;
      return found;
    },
  };
  return source;
}

function createSink(fd: number, limit: number) {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let filled = 0;
  let written = 0;
  return {
    writeByte(byte: number): void {
      buffer[filled] = byte;
      filled += 1;
      if (filled === BUFFER_BYTES) this.flush();
    },
    flush(): void {
      for (let at = 0; at < filled; ) at += writeSync(fd, buffer, at, filled - at);
      written += filled;
      filled = 0;
      checkSize(written, limit);
    },
  };
}

function bunzip({ inPath, outPath, limit }: BunzipInput): void {
  const input = openSync(inPath, 'r');
  const output = openSync(outPath, 'w');
  try {
    const source = createSource(input);
    const sink = createSink(output, limit);
    let streams = 0;
    do {
      if (++streams > MAX_STREAMS) throw new Error(`it has more than ${MAX_STREAMS} streams`);
      Bunzip.decode(source, sink);
    } while (source.atStream());
    sink.flush();
  } finally {
    closeSync(output);
    closeSync(input);
  }
}

function run(): BunzipOutcome {
  try {
    bunzip(workerData as BunzipInput);
    return { ok: true };
  } catch (error) {
    const message = reasonOf(error);
    return { ok: false, system: isSystemError(error), message };
  }
}

parentPort?.postMessage(run());
