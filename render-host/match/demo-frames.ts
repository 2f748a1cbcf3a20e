import { type FileHandle, open } from 'node:fs/promises';
import { RejectedDemo } from './rejected-demo.ts';

/**
 * A Source 2 demo file is 16 bytes of preamble (magic `PBDEMS2\0`, two offsets) and then frames: command, tick and
 * payload size as varints, then the payload. A recording that ended properly has a DEM_Stop frame near its end.
 */
const PREAMBLE_BYTES = 16;
const MAGIC_SOURCE_2 = 'PBDEMS2\0';
const MAGIC_SOURCE_1 = 'HL2DEMO\0';

const DEM_STOP = 0;
const DEM_PACKET = 7;
const DEM_FULL_PACKET = 13;
const DEM_IS_COMPRESSED = 64;
/** Commands run from 0 to 18 today; a larger one than this is no demo but noise. */
const LARGEST_COMMAND = 63;

const READ_BYTES = 1 << 20;
/** Three varints of at most five bytes each. */
const LARGEST_FRAME_HEADER = 15;

/** What the frames alone tell: the ticks that the recording covers. */
export interface DemoExtent {
  readonly firstTick: number;
  readonly lastTick: number;
}

/**
 * Walks the frames of a demo file without looking into them and tells which ticks it covers. One pass through a
 * fixed buffer; payloads are stepped over, so it costs little next to the parse that follows.
 *
 * A demo counts as whole when its frames lead to a DEM_Stop. A recording that was cut off while downloading, or whose
 * server died while recording, never gets there: docs/contract.md 7.2 calls it incomplete, `demo_failed_parse`.
 *
 * @throws {RejectedDemo} `demo_incompatible` for a Source 1 (CS:GO) demo, else `demo_failed_parse`.
 */
export async function readDemoExtent(path: string): Promise<DemoExtent> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    await checkMagic(file, size);
    return await walkFrames(file, size);
  } finally {
    await file.close();
  }
}

async function checkMagic(file: FileHandle, size: number): Promise<void> {
  if (size < PREAMBLE_BYTES) throw new RejectedDemo('demo_failed_parse', `the file is only ${size} bytes long`);
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0);
  const magic = buffer.toString('latin1');
  if (magic === MAGIC_SOURCE_1) {
    throw new RejectedDemo('demo_incompatible', 'a Source 1 demo (CS:GO), not one of Counter-Strike 2');
  }
  if (magic !== MAGIC_SOURCE_2) throw new RejectedDemo('demo_failed_parse', 'not a demo file: unknown magic bytes');
}

async function walkFrames(file: FileHandle, size: number): Promise<DemoExtent> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let bufferStart = 0;
  let bufferEnd = 0;
  let offset = PREAMBLE_BYTES;
  let firstTick: number | null = null;
  let lastTick = 0;

  while (offset < size) {
    if (offset + LARGEST_FRAME_HEADER > bufferEnd && bufferEnd < size) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, offset);
      if (bytesRead === 0) break;
      bufferStart = offset;
      bufferEnd = offset + bytesRead;
    }
    const frame = readFrameHeader(buffer.subarray(offset - bufferStart, bufferEnd - bufferStart));
    if (frame === null) break;
    const command = frame.command & ~DEM_IS_COMPRESSED;
    if (command > LARGEST_COMMAND) {
      throw new RejectedDemo('demo_failed_parse', `no demo command at byte ${offset}: the file is corrupted`);
    }
    if (command === DEM_STOP) return extent(firstTick, lastTick);
    offset += frame.headerBytes + frame.payloadBytes;
    if (offset > size) break;
    if ((command === DEM_PACKET || command === DEM_FULL_PACKET) && frame.tick >= 0) {
      firstTick ??= frame.tick;
      lastTick = Math.max(lastTick, frame.tick);
    }
  }
  throw new RejectedDemo('demo_failed_parse', `the demo is cut off after ${size} bytes, before its end mark`);
}

function extent(firstTick: number | null, lastTick: number): DemoExtent {
  if (firstTick === null || lastTick <= firstTick) {
    throw new RejectedDemo('demo_failed_parse', 'the demo holds no recorded ticks');
  }
  return { firstTick, lastTick };
}

interface FrameHeader {
  readonly command: number;
  /** -1 for what comes before the recording. */
  readonly tick: number;
  readonly payloadBytes: number;
  readonly headerBytes: number;
}

function readFrameHeader(bytes: Uint8Array): FrameHeader | null {
  const values: number[] = [];
  let at = 0;
  while (values.length < 3) {
    let value = 0;
    let shift = 0;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || shift > 28) return null;
      at += 1;
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) === 0) break;
      shift += 7;
    }
    values.push(value);
  }
  const [command = 0, tick = 0, payloadBytes = 0] = values;
  return { command, tick, payloadBytes: payloadBytes >>> 0, headerBytes: at };
}
