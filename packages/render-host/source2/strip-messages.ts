import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { BitWriter } from '#demo-format/bit-writer.ts';
import { DEMO_COMMAND, NET_MESSAGE, PREAMBLE_BYTES } from '#demo-format/container.ts';
import { MESSAGES } from '#demo-format/messages.ts';
import { BitReader } from './bit-reader.ts';
import { FRAME_BYTES, type Frame, FrameBuffer, walkFrames } from './frames.ts';

/**
 * The messages by which a recording reaches the console of the game that plays it: two run commands, `svc_Print` prints
 * lines that look like the engine's own.
 */
const COMMAND_MESSAGES: ReadonlyMap<number, string> = new Map([
  [NET_MESSAGE.CNETMsg_StringCmd, 'net_StringCmd'],
  [NET_MESSAGE.CSVCMsg_Print, 'svc_Print'],
  [NET_MESSAGE.CSVCMsg_Broadcast_Command, 'svc_Broadcast_Command'],
]);

/**
 * `CEntityMessageRemoveAllDecals`: clients since July 2026 end playback at it ("Failed to parse message"). The evidence
 * and the fields are those of unicbm/cs2-demo-playback-fix-260720.
 */
const REMOVE_ALL_DECALS = 138;

export interface StripOptions {
  /** The largest frame, stored and unpacked. */
  readonly frameBytes?: number | undefined;
  /** Also removes `CEntityMessageRemoveAllDecals`, where its fields are the known ones. */
  readonly decals?: boolean | undefined;
}

export interface StripResult {
  /** SHA-256 of the original file, in hexadecimal: identifies the demo, whatever its path. */
  readonly sha256: string;
  /** How many of each kind were removed, by name, and `damaged end`. Without any, the file is not written. */
  readonly stripped: Readonly<Record<string, number>>;
  /** The last tick before the damage, or of the recording. */
  readonly lastTick: number;
}

/**
 * Finds messages that the game must not see, and writes the demo to `outPath` without them if it has any. Nothing else
 * changes: the other messages keep their bits, and the two offsets of the preamble are adjusted. A damaged recording is
 * cut at the damage, because what follows cannot be checked. Runs for seconds without a pause, so except in tests
 * call `stripDemo`.
 *
 * @throws a system error if a file cannot be read or written.
 */
export async function stripMessages(path: string, outPath: string, options: StripOptions = {}): Promise<StripResult> {
  const stripped: Record<string, number> = {};
  const look = createStripper(options, (name) => {
    stripped[name] = (stripped[name] ?? 0) + 1;
  });
  const { frameBytes = FRAME_BYTES } = options;
  let lastTick = 0;
  const end = await walkFrames(path, { payloads: true, frameBytes }, (frame) => {
    look(frame);
    lastTick = Math.max(lastTick, frame.tick);
  });
  if (end.kind === 'damage') stripped['damaged end'] = 1;
  if (Object.keys(stripped).length > 0) await writeStripped(path, outPath, options);
  return { sha256: await hashOf(path), stripped, lastTick };
}

/** Returns a function that returns the replacement of a frame, or null if the frame stays. */
function createStripper(
  { frameBytes = FRAME_BYTES, decals = false }: StripOptions,
  found: (name: string) => void,
): (frame: Frame) => Uint8Array | null {
  const frameBuffer = new FrameBuffer(frameBytes);
  const bits = new BitReader();

  /** Returns the name of an unwanted message, or null. `bits` is at its first byte. */
  function unwanted(type: number, length: number): string | null {
    if (type === REMOVE_ALL_DECALS) return decals && isRemoveAllDecals(bits, length) ? 'RemoveAllDecals' : null;
    return COMMAND_MESSAGES.get(type) ?? null;
  }

  /** Returns a packet's messages without those, or null if it has none. */
  function strip(packet: Uint8Array): Uint8Array | null {
    const end = (packet.byteOffset + packet.length) * 8;
    bits.reset(packet.buffer, packet.byteOffset * 8, end);
    const kept: { readonly from: number; readonly to: number }[] = [];
    let since = bits.position;
    while (bits.position + 8 < end) {
      const from = bits.position;
      const type = bits.uBitVar();
      const length = bits.varUint32();
      const next = bits.position + length * 8;
      if (next > end) throw new Error('a message is longer than its packet');
      const name = unwanted(type, length);
      bits.position = next;
      if (name === null) continue;
      found(name);
      kept.push({ from: since, to: from });
      since = next;
    }
    if (kept.length === 0) return null;
    kept.push({ from: since, to: bits.position });
    const out = new BitWriter(packet.length);
    for (const { from, to } of kept) {
      bits.position = from;
      for (let left = to - from; left > 0; left -= 32) out.bits(bits.bits(Math.min(32, left)), Math.min(32, left));
    }
    return out.toBytes();
  }

  return (frame) => {
    const { command, compressed, tick, payload } = frame;
    if (command === DEMO_COMMAND.consoleCommand) {
      found('DEM_ConsoleCmd');
      return new Uint8Array(0);
    }
    const path = PACKET_PATHS.get(command);
    if (path === undefined || payload === null) return null;
    const bytes = changeField(frameBuffer.fill(payload, compressed), path, strip);
    if (bytes === null) return null;
    // Written unpacked. The game reads both kinds.
    return Buffer.concat([varint(command), varint(tick >>> 0), varint(bytes.length), bytes]);
  };
}

/** Whether a message has the known fields, in order, and nothing else: a true flag, and an entity's number. */
function isRemoveAllDecals(bits: BitReader, length: number): boolean {
  const end = bits.position + length * 8;
  const flag = bits.varUint32() === 0x08 && bits.varUint32() === 1;
  const inner = bits.varUint32() === 0x12 ? bits.varUint32() : 0;
  if (!flag || bits.position + inner * 8 !== end || bits.varUint32() !== 0x08) return false;
  return bits.varUint64() <= 0xffff_ffffn && bits.position === end;
}

/** The fields of CDemoPacket and CDemoFullPacket that lead to a frame's messages. */
const PACKET_DATA = [MESSAGES.CDemoPacket.data[0]];
const PACKET_PATHS: ReadonlyMap<number, readonly number[]> = new Map([
  [DEMO_COMMAND.packet, PACKET_DATA],
  [DEMO_COMMAND.signonPacket, PACKET_DATA],
  [DEMO_COMMAND.fullPacket, [MESSAGES.CDemoFullPacket.packet[0], ...PACKET_DATA]],
]);

/**
 * Returns a message with another value of the nested field that `path` leads to; null if that was not sent, or if
 * `change` returns null.
 */
function changeField(
  bytes: Uint8Array,
  [field, ...path]: readonly number[],
  change: (value: Uint8Array) => Uint8Array | null,
): Uint8Array | null {
  if (field === undefined) return change(bytes);
  const found = fieldOf(bytes, field);
  if (found === null) return null;
  const value = changeField(bytes.subarray(found.from, found.to), path, change);
  if (value === null) return null;
  return Buffer.concat([bytes.subarray(0, found.lengthAt), varint(value.length), value, bytes.subarray(found.to)]);
}

/** Returns where a field's length and bytes are. */
function fieldOf(bytes: Uint8Array, wanted: number): { lengthAt: number; from: number; to: number } | null {
  const start = bytes.byteOffset * 8;
  const reader = new BitReader().reset(bytes.buffer, start, start + bytes.length * 8);
  while (reader.position < reader.end) {
    const tag = reader.varUint32();
    const wire = tag & 7;
    const lengthAt = (reader.position - start) / 8;
    if (wire === 0) reader.varUint64();
    else if (wire === 1) reader.position += 64;
    else if (wire === 5) reader.position += 32;
    else if (wire === 2) {
      const length = reader.varUint32();
      const from = (reader.position - start) / 8;
      reader.position += length * 8;
      if (reader.overrun) break;
      if (tag >>> 3 === wanted) return { lengthAt, from, to: from + length };
    } else throw new Error(`a packet has a field of wire type ${wire}`);
  }
  if (reader.overrun) throw new Error('a field is longer than its packet');
  return null;
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
  await pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), hash);
  return hash.digest('hex');
}

/** Copies files synchronously, a frame or a run of frames at a time, because the walk does not wait for its visitor. */
async function writeStripped(path: string, outPath: string, options: StripOptions): Promise<void> {
  const { frameBytes = FRAME_BYTES } = options;
  const change = createStripper(options, () => {});
  const source = openSync(path, 'r');
  const target = openSync(outPath, 'w');
  try {
    const preamble = Buffer.alloc(PREAMBLE_BYTES);
    readSync(source, preamble, 0, PREAMBLE_BYTES, 0);
    const offsets = [8, 12].map((field) => ({ field, was: preamble.readInt32LE(field) }));
    let copied = 0;
    let shift = 0;
    const end = await walkFrames(path, { payloads: true, frameBytes }, (frame) => {
      const bytes = change(frame);
      if (bytes === null) return;
      copyRange(source, target, copied, frame.start);
      writeSync(target, bytes);
      copied = frame.end;
      shift += bytes.length - (frame.end - frame.start);
      // The preamble has the offsets of two frames after the magic: file info and spawn groups. Zero means none.
      for (const { field, was } of offsets) if (was >= frame.end) preamble.writeInt32LE(was + shift, field);
    });
    const until = end.kind === 'damage' ? end.at : fstatSync(source).size;
    copyRange(source, target, copied, until);
    for (const { field, was } of offsets) if (was >= until) preamble.writeInt32LE(0, field);
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
