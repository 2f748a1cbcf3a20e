import { open } from 'node:fs/promises';
import type { Match, Tracks } from './match.ts';

/**
 * How the parsing child hands a match to its parent: two 32-bit lengths, everything but the tracks as JSON, then the
 * track columns as they lie in memory. Both ends run on one machine and one build, so neither byte order nor version
 * matters. A file beats the process channel: no copy is serialized, and the parent reads straight into its arrays.
 */
const PREAMBLE_BYTES = 8;

type MatchHead = Omit<Match, 'tracks'> & { readonly tracks: Pick<Tracks, 'firstTick' | 'length'> };

/** Writes a match for `readMatchFile`. */
export async function writeMatchFile(path: string, match: Match): Promise<void> {
  const { tracks, ...rest } = match;
  const head: MatchHead = { ...rest, tracks: { firstTick: tracks.firstTick, length: tracks.length } };
  const json = Buffer.from(JSON.stringify(head));
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  preamble.writeUInt32LE(json.length, 0);
  preamble.writeUInt32LE(tracks.x.length, 4);
  const file = await open(path, 'w');
  try {
    await file.writev([preamble, json, Buffer.alloc(padding(json.length))]);
    for (const column of [tracks.x, tracks.y, tracks.z, tracks.yaw, tracks.pitch, tracks.health, tracks.flags]) {
      await file.writeFile(column);
    }
  } finally {
    await file.close();
  }
}

/** Reads what `writeMatchFile` wrote; the tracks are views of one buffer. */
export async function readMatchFile(path: string): Promise<Match> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = new ArrayBuffer(size);
    const bytes = new Uint8Array(buffer);
    for (let filled = 0; filled < size; ) {
      const { bytesRead } = await file.read(bytes, filled, Math.min(size - filled, 1 << 30), filled);
      if (bytesRead === 0) throw new Error(`${path} ends after ${filled} of ${size} bytes`);
      filled += bytesRead;
    }
    return fromBuffer(buffer);
  } finally {
    await file.close();
  }
}

function fromBuffer(buffer: ArrayBuffer): Match {
  const preamble = new DataView(buffer);
  const jsonBytes = preamble.getUint32(0, true);
  const samples = preamble.getUint32(4, true);
  const head = JSON.parse(Buffer.from(buffer, PREAMBLE_BYTES, jsonBytes).toString()) as MatchHead;
  let offset = PREAMBLE_BYTES + jsonBytes + padding(jsonBytes);
  const floats = () => {
    const column = new Float32Array(buffer, offset, samples);
    offset += samples * Float32Array.BYTES_PER_ELEMENT;
    return column;
  };
  const x = floats();
  const y = floats();
  const z = floats();
  const yaw = floats();
  const pitch = floats();
  const health = new Uint8Array(buffer, offset, samples);
  const flags = new Uint8Array(buffer, offset + samples, samples);
  return { ...head, tracks: { ...head.tracks, x, y, z, yaw, pitch, health, flags } };
}

/** Float columns start at a multiple of four bytes. */
function padding(jsonBytes: number): number {
  return (4 - (jsonBytes % 4)) % 4;
}
