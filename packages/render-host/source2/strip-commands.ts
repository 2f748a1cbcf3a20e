import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DEMO_COMMAND, NET_MESSAGE, PREAMBLE_BYTES } from '#demo-writer/facts/container.ts';
import { MESSAGES } from '#demo-writer/facts/messages.ts';
import { BitReader } from './bit-reader.ts';
import { type Frame, walkFrames } from './frames.ts';
import { FRAME_BYTES, FrameBuffer } from './snappy.ts';

/**
 * The messages by which a recording reaches the console of the game that plays it: two run commands, `svc_Print` prints
 * lines that look like the engine's own.
 */
const COMMAND_MESSAGES: ReadonlyMap<number, string> = new Map([
  [NET_MESSAGE.CNETMsg_StringCmd, 'net_StringCmd'],
  [NET_MESSAGE.CSVCMsg_Print, 'svc_Print'],
  [NET_MESSAGE.CSVCMsg_Broadcast_Command, 'svc_Broadcast_Command'],
]);

export interface StripResult {
  /** SHA-256 of the original file, in hexadecimal: identifies the demo, whatever its path. */
  readonly sha256: string;
  /** How many of each kind were removed, by name. Empty for a file without any, which is not written. */
  readonly stripped: Readonly<Record<string, number>>;
}

/**
 * Finds console commands in a demo, and writes the demo to `outPath` without them if it has any. Nothing else changes:
 * console frames are left out, a message in a packet keeps its length and loses its text, and the two offsets of the
 * preamble are adjusted. Runs for seconds without a pause, so except in tests call `stripDemo`.
 *
 * @param frameBytes the largest frame, stored and unpacked.
 * @throws an Error for a packet that cannot be read; a system error if a file cannot be read or written.
 */
export async function stripCommands(path: string, outPath: string, frameBytes = FRAME_BYTES): Promise<StripResult> {
  const stripped: Record<string, number> = {};
  const look = createStripper(frameBytes, (name) => {
    stripped[name] = (stripped[name] ?? 0) + 1;
  });
  await walkFrames(path, { payloads: true, frameBytes }, (frame) => void look(frame));
  if (Object.keys(stripped).length > 0) await writeStripped(path, outPath, frameBytes);
  return { sha256: await hashOf(path), stripped };
}

/** Returns a function that returns the replacement of a frame, or null if the frame stays. */
function createStripper(frameBytes: number, found: (name: string) => void): (frame: Frame) => Uint8Array | null {
  const frameBuffer = new FrameBuffer(frameBytes);
  const bits = new BitReader();

  /** Blanks the commands in a packet's messages in place. Returns whether there were any. */
  function blank(packet: Uint8Array): boolean {
    const end = (packet.byteOffset + packet.length) * 8;
    bits.reset(packet.buffer, packet.byteOffset * 8, end);
    let isChanged = false;
    while (bits.position + 8 < end) {
      const type = bits.uBitVar();
      const length = bits.varUint32();
      const next = bits.position + length * 8;
      if (next > end) throw new Error('a message is longer than its packet');
      const name = COMMAND_MESSAGES.get(type);
      // One byte has no room for a text.
      if (name !== undefined && length > 1) {
        found(name);
        writeBytes(new Uint8Array(packet.buffer), bits.position, emptyText(length));
        isChanged = true;
      }
      bits.position = next;
    }
    return isChanged;
  }

  return (frame) => {
    const { command, compressed, tick, payload } = frame;
    if (command === DEMO_COMMAND.consoleCommand) {
      found('DEM_ConsoleCmd');
      return new Uint8Array(0);
    }
    const path = PACKET_PATHS.get(command);
    if (path === undefined || payload === null) return null;
    const bytes = frameBuffer.fill(payload, compressed);
    const packet = descend(bytes, path);
    if (packet === null || !blank(packet)) return null;
    // Written unpacked. The game reads both kinds.
    return Buffer.concat([varint(command), varint(tick >>> 0), varint(bytes.length), bytes]);
  };
}

/** The fields of CDemoPacket and CDemoFullPacket that lead to a frame's messages. */
const PACKET_DATA = [MESSAGES.CDemoPacket.data[0]];
const PACKET_PATHS: ReadonlyMap<number, readonly number[]> = new Map([
  [DEMO_COMMAND.packet, PACKET_DATA],
  [DEMO_COMMAND.signonPacket, PACKET_DATA],
  [DEMO_COMMAND.fullPacket, [MESSAGES.CDemoFullPacket.packet[0], ...PACKET_DATA]],
]);

/** Returns the bytes of a nested field, in place; null if it was not sent. */
function descend(bytes: Uint8Array, path: readonly number[]): Uint8Array | null {
  let current: Uint8Array = bytes;
  for (const field of path) {
    const inner = fieldOf(current, field);
    if (inner === null) return null;
    current = inner;
  }
  return current;
}

function fieldOf(bytes: Uint8Array, wanted: number): Uint8Array | null {
  const reader = new BitReader().reset(bytes.buffer, bytes.byteOffset * 8, (bytes.byteOffset + bytes.length) * 8);
  while (reader.position < reader.end) {
    const tag = reader.varUint32();
    const wire = tag & 7;
    if (wire === 0) reader.varUint64();
    else if (wire === 1) reader.position += 64;
    else if (wire === 5) reader.position += 32;
    else if (wire === 2) {
      const length = reader.varUint32();
      const from = reader.position / 8;
      reader.position += length * 8;
      if (reader.overrun) break;
      if (tag >>> 3 === wanted) return new Uint8Array(bytes.buffer, from, length);
    } else throw new Error(`a packet has a field of wire type ${wire}`);
  }
  if (reader.overrun) throw new Error('a field is longer than its packet');
  return null;
}

/** Returns a message of `length` bytes, two or more: field 1 is an empty text, the rest are numbers in field 15. */
function emptyText(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes[0] = 0x0a;
  let at = 2;
  // A field with a zero takes two bytes. An odd length has a longer zero, or a blank as its text if there is no room.
  if (length === 3) bytes.set([1, 0x20], 1);
  if (length % 2 === 1 && length > 3) {
    bytes.set([0x78, 0x80, 0x00], at);
    at += 3;
  }
  for (; at + 1 < length; at += 2) bytes[at] = 0x78;
  return bytes;
}

/** Writes whole bytes at any bit position. */
function writeBytes(target: Uint8Array, position: number, source: Uint8Array): void {
  const shift = position & 7;
  let at = position >>> 3;
  for (const byte of source) {
    const low = (1 << shift) - 1;
    target[at] = ((target[at] ?? 0) & low) | ((byte << shift) & 0xff);
    if (shift > 0) target[at + 1] = ((target[at + 1] ?? 0) & ~low & 0xff) | (byte >>> (8 - shift));
    at++;
  }
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const PIECE_BYTES = 1 << 20;

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  try {
    for await (const piece of file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false }))
      hash.update(piece);
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** Copies files synchronously, a frame or a run of frames at a time, because the walk does not wait for its visitor. */
async function writeStripped(path: string, outPath: string, frameBytes: number): Promise<void> {
  const change = createStripper(frameBytes, () => {});
  const source = openSync(path, 'r');
  const target = openSync(outPath, 'w');
  try {
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    readSync(source, preamble, 0, PREAMBLE_BYTES, 0);
    const offsets = [8, 12].map((field) => ({ field, was: preamble.readInt32LE(field) }));
    let copied = 0;
    let shift = 0;
    await walkFrames(path, { payloads: true, frameBytes }, (frame) => {
      const bytes = change(frame);
      if (bytes === null) return;
      copyRange(source, target, copied, frame.start);
      writeSync(target, bytes);
      copied = frame.end;
      shift += bytes.length - (frame.end - frame.start);
      // The preamble has the offsets of two frames after the magic: file info and spawn groups. Zero means none.
      for (const { field, was } of offsets) if (was >= frame.end) preamble.writeInt32LE(was + shift, field);
    });
    copyRange(source, target, copied, fstatSync(source).size);
    writeSync(target, preamble, 0, PREAMBLE_BYTES, 0);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

function copyRange(source: number, target: number, from: number, to: number): void {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(1, to - from)));
  for (let at = from; at < to; ) {
    const read = readSync(source, buffer, 0, Math.min(buffer.length, to - at), at);
    if (read === 0) return;
    writeSync(target, buffer, 0, read);
    at += read;
  }
}
