/// <reference path="./snappyjs.d.ts" />
import snappy from 'snappyjs';
import { BitWriter } from './bit-writer.ts';
import { encodeMessage, type MessageName } from './messages.ts';

/** What a frame of the file holds. */
export const DEMO_COMMAND = {
  stop: 0,
  fileHeader: 1,
  fileInfo: 2,
  syncTick: 3,
  sendTables: 4,
  classInfo: 5,
  stringTables: 6,
  packet: 7,
  signonPacket: 8,
  fullPacket: 13,
  spawnGroups: 15,
  animationData: 16,
} as const;

/** Network messages inside a packet. */
const MESSAGE_TYPE = {
  CNETMsg_Tick: 4,
  CNETMsg_SetConVar: 6,
  CNETMsg_SignonState: 7,
  CSVCMsg_ServerInfo: 40,
  CSVCMsg_ClassInfo: 42,
  CSVCMsg_CreateStringTable: 44,
  CSVCMsg_UpdateStringTable: 45,
  CSVCMsg_VoiceInit: 46,
  CSVCMsg_ClearAllStringTables: 51,
  CSVCMsg_PacketEntities: 55,
  CSVCMsg_UserCommands: 76,
  CMsgSource1LegacyGameEventList: 205,
  CMsgSource1LegacyGameEvent: 207,
} as const satisfies Partial<Record<MessageName, number>>;

export type NetMessage = readonly [name: keyof typeof MESSAGE_TYPE, fields: Readonly<Record<string, unknown>>];

/** The tick of every frame before the first of the match. */
export const BEFORE_START = -1;

const COMPRESSED = 64;
/** Below this, Snappy's own header eats what it saves. */
const WORTH_COMPRESSING_BYTES = 128;

/** Bytes before the first frame: the magic and two offsets. */
export const HEADER_BYTES = 16;

/** The file's first bytes. The offsets are those of the frames that end the file, `fileInfo` and `spawnGroups`. */
export function fileStart(fileInfoOffset: number, spawnGroupsOffset: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  bytes.set(new TextEncoder().encode('PBDEMS2\0'));
  const view = new DataView(bytes.buffer);
  view.setUint32(8, fileInfoOffset, true);
  view.setUint32(12, spawnGroupsOffset, true);
  return bytes;
}

/** One frame: command, tick, size, payload. The payload is compressed where that makes it smaller, as in real demos. */
export function frame(command: number, tick: number, payload: Uint8Array): Uint8Array {
  const packed = payload.length < WORTH_COMPRESSING_BYTES ? payload : snappy.compress(payload);
  const compressed = packed.length < payload.length;
  const body = compressed ? packed : payload;
  const out = new BitWriter(body.length + 16);
  out.varUint32(compressed ? command | COMPRESSED : command);
  out.varUint32(tick);
  out.varUint32(body.length);
  out.bytes(body);
  return out.toBytes();
}

/** The messages of one packet, one after the other in a bit stream, each as type, size and protobuf. */
export function packetData(messages: readonly NetMessage[]): Uint8Array {
  const out = new BitWriter(1024);
  for (const [name, fields] of messages) {
    const payload = encodeMessage(name, fields);
    out.uBitVar(MESSAGE_TYPE[name]);
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
