import { type FileHandle, open } from 'node:fs/promises';
import type { Match, Tracks } from './match.ts';

/**
 * The parsing child passes a match to its parent in a file: two 32-bit lengths, JSON of everything but the tracks, then
 * the columns of the tracks as they are in memory. Both processes run the same build on one machine, so byte order and
 * version do not matter. A file is faster than the process channel: no copy is serialized, and the parent reads
 * directly into its arrays.
 */
const PREAMBLE_BYTES = 8;
/** The size of a sample: five floats and two bytes. */
export const SAMPLE_BYTES = 22;
export const TRACK_COLUMNS = ['x', 'y', 'z', 'yaw', 'pitch', 'health', 'flags'] as const;

type MatchHead = Omit<Match, 'tracks'> & { readonly tracks: Pick<Tracks, 'firstTick' | 'length'> };

/** The match without its tracks is larger than its reader accepts. */
export class MatchTooLarge extends Error {}

/**
 * Writes a match for `readMatchFile`.
 *
 * @throws {MatchTooLarge} if its JSON has more than `mostBytes`: reading it blocks the host's event loop, some 100 MB a
 * second.
 */
export async function writeMatchFile(path: string, match: Match, mostBytes: number): Promise<void> {
  const { tracks, ...rest } = match;
  const head: MatchHead = { ...rest, tracks: { firstTick: tracks.firstTick, length: tracks.length } };
  const json = Buffer.from(JSON.stringify(head));
  if (json.length > mostBytes) {
    throw new MatchTooLarge(`what happens in it takes ${json.length} bytes, more than the ${mostBytes} accepted`);
  }
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  preamble.writeUInt32LE(json.length, 0);
  preamble.writeUInt32LE(tracks.x.length, 4);
  const file = await open(path, 'w');
  try {
    await file.writev([preamble, json, Buffer.alloc(padding(json.length))]);
    for (const name of TRACK_COLUMNS) await file.writeFile(tracks[name]);
  } finally {
    await file.close();
  }
}

/**
 * Reads the file of `writeMatchFile`. The tracks are views of one block of shared memory, so a thread that draws them
 * needs no copy.
 */
export async function readMatchFile(path: string): Promise<Match> {
  const file = await open(path, 'r');
  try {
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    await readFully(file, preamble, 0);
    const jsonBytes = preamble.readUInt32LE(0);
    const samples = preamble.readUInt32LE(4);
    const start = PREAMBLE_BYTES + jsonBytes + padding(jsonBytes);
    const { size } = await file.stat();
    if (size !== start + samples * SAMPLE_BYTES)
      throw new Error(`${path} has ${size} bytes, which is not what it says`);
    const json = Buffer.alloc(jsonBytes);
    await readFully(file, json, PREAMBLE_BYTES);
    const columns = new SharedArrayBuffer(samples * SAMPLE_BYTES);
    await readFully(file, new Uint8Array(columns), start);
    const head = JSON.parse(json.toString()) as MatchHead;
    return { ...head, tracks: { ...head.tracks, ...columnsOf(columns, samples) } };
  } finally {
    await file.close();
  }
}

async function readFully(file: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, filled, Math.min(bytes.length - filled, 1 << 30), from + filled);
    if (bytesRead === 0) throw new Error(`it ends ${bytes.length - filled} bytes early`);
    filled += bytesRead;
  }
}

/** Returns the columns of tracks as views of one block of memory. */
export function columnsOf(buffer: ArrayBufferLike, samples: number): Pick<Tracks, (typeof TRACK_COLUMNS)[number]> {
  const float = (column: number) => new Float32Array(buffer, column * samples * 4, samples);
  const byte = (column: number) => new Uint8Array(buffer, (20 + column) * samples, samples);
  return { x: float(0), y: float(1), z: float(2), yaw: float(3), pitch: float(4), health: byte(0), flags: byte(1) };
}

/** Float columns start at a multiple of four bytes. */
function padding(jsonBytes: number): number {
  return (4 - (jsonBytes % 4)) % 4;
}
