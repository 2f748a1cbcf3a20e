/// <reference path="./snappyjs.d.ts" />
import snappy from 'snappyjs';
import { BitWriter } from '#demo-format/bit-writer.ts';
import { COMPRESSED_FLAG, type DEMO_COMMAND, DEMO_MAGIC, NET_MESSAGE, PREAMBLE_BYTES } from '#demo-format/container.ts';
import type { MessageName } from '#demo-format/messages.ts';
import { encodeMessage } from './messages.ts';

export type NetMessage = readonly [
  name: keyof typeof NET_MESSAGE & MessageName,
  fields: Readonly<Record<string, unknown>>,
];

/** The tick of each frame before the first of the match. */
export const BEFORE_START = -1;

/** The least bytes of a payload that is compressed. Smaller ones do not shrink. */
const WORTH_COMPRESSING_BYTES = 128;

/**
 * Returns the file's first bytes. The offsets are those of the frames that end the file, `fileInfo` and `spawnGroups`.
 */
export function fileStart(fileInfoOffset: number, spawnGroupsOffset: number): Uint8Array {
  const bytes = new Uint8Array(PREAMBLE_BYTES);
  bytes.set(new TextEncoder().encode(DEMO_MAGIC));
  const view = new DataView(bytes.buffer);
  view.setUint32(8, fileInfoOffset, true);
  view.setUint32(12, spawnGroupsOffset, true);
  return bytes;
}

/**
 * Returns one frame: command, tick, size, payload. Compresses the payload if that makes it smaller, like real demos.
 */
export function frame(command: number, tick: number, payload: Uint8Array): Uint8Array {
  const packed = payload.length < WORTH_COMPRESSING_BYTES ? payload : snappy.compress(payload);
  const compressed = packed.length < payload.length;
  const body = compressed ? packed : payload;
  const out = new BitWriter(body.length + 16);
  out.varUint32(compressed ? command | COMPRESSED_FLAG : command);
  out.varUint32(tick);
  out.varUint32(body.length);
  out.bytes(body);
  return out.toBytes();
}

/** Returns the messages of one packet as a bit stream: type, size and protobuf of each. */
export function packetData(messages: readonly NetMessage[]): Uint8Array {
  const out = new BitWriter(1024);
  for (const [name, fields] of messages) {
    const payload = encodeMessage(name, fields);
    out.uBitVar(NET_MESSAGE[name]);
    out.varUint32(payload.length);
    out.bytes(payload);
  }
  return out.toBytes();
}

export function packetFrame(
  command: typeof DEMO_COMMAND.packet | typeof DEMO_COMMAND.signonPacket,
  tick: number,
  messages: readonly NetMessage[],
): Uint8Array {
  return frame(command, tick, encodeMessage('CDemoPacket', { data: packetData(messages) }));
}
