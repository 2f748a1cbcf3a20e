import { DEMO_COMMAND, NET_MESSAGE } from '#demo-format/container.ts';
import { MESSAGES } from '#demo-format/messages.ts';
import { BitReader } from './bit-reader.ts';
import { createEntities, type Entities, type WantedFields } from './entities.ts';
import {
  decodeMessage,
  FRAME_BYTES,
  type Frame,
  FrameBuffer,
  type FramesEnd,
  type MessageOf,
  type WalkOptions,
  walkFrames,
} from './frames.ts';
import { createStringTables, readSendTables, type SendTables } from './send-tables.ts';

export type FileHeader = MessageOf<'CDemoFileHeader'>;
export type ServerInfo = MessageOf<'CSVCMsg_ServerInfo'>;
export type UserInfo = MessageOf<'CMsgPlayerInfo'>;
export type GameEventList = MessageOf<'CMsgSource1LegacyGameEventList'>;
export type GameEventMessage = MessageOf<'CMsgSource1LegacyGameEvent'>;

/** Receives the content of a demo, in the order of the file. The tick is -1 before the recording starts. */
export interface DemoListener {
  fileHeader(header: FileHeader): void;
  serverInfo(info: ServerInfo): void;
  /** null if the slot was emptied. */
  userInfo(slot: number, info: UserInfo | null): void;
  conVar(tick: number, name: string, value: string): void;
  gameEventList(list: GameEventList): void;
  gameEvent(tick: number, event: GameEventMessage): void;
  /** A packet was read completely: the entities are those of the end of this tick. */
  packetEnd(tick: number): void;
}

/**
 * Reads a Source 2 demo file from its start to its DEM_Stop, its last complete frame, or the first that is damaged or
 * that the listener cannot use. Memory does not grow with the file.
 *
 * @throws a system error if the file cannot be read; a `Refusal` of the listener.
 */
export async function readDemo(
  path: string,
  wanted: WantedFields,
  listen: (entities: Entities) => DemoListener,
  { frameBytes = FRAME_BYTES, ...part }: Omit<WalkOptions, 'payloads'> = {},
): Promise<FramesEnd> {
  const reader = createReader(wanted, listen, frameBytes);
  return walkFrames(path, { ...part, payloads: true, frameBytes }, reader);
}

function createReader(
  wanted: WantedFields,
  listen: (entities: Entities) => DemoListener,
  frameBytes: number,
): (frame: Frame) => void {
  const entities = createEntities(wanted);
  const listener = listen(entities);
  const frameBuffer = new FrameBuffer(frameBytes);
  const bits = new BitReader();
  const data = new BitReader();
  const sizes = new BitReader();
  let sendTables: SendTables | null = null;
  /** Whether the entities are known. Packets only have changes. */
  let synchronous = false;

  const strings = createStringTables({
    instancebaseline: (_, key, value) => entities.setBaseline(key, value),
    userinfo: (slot, _, value) =>
      listener.userInfo(slot, value === null ? null : decodeMessage('CMsgPlayerInfo', value)),
  });

  /** Reads the messages of a packet. `bytes` is in the frame buffer. */
  function readPacket(bytes: Uint8Array, tick: number, isFull: boolean): void {
    const end = (bytes.byteOffset + bytes.length) * 8;
    bits.reset(bytes.buffer, bytes.byteOffset * 8, end);
    // Less than a byte is padding.
    while (bits.position + 8 < end) {
      const type = bits.uBitVar();
      const length = bits.varUint32();
      const next = bits.position + length * 8;
      if (next > end) throw new Error('a message is longer than its packet');
      if (type === NET_MESSAGE.CSVCMsg_PacketEntities) {
        if (!isFull || !synchronous) readEntities(next);
      } else if (isWanted(type, isFull)) {
        readMessage(type, bits.bytes(length), tick);
      }
      bits.position = next;
    }
  }

  function readMessage(type: number, bytes: Uint8Array, tick: number): void {
    switch (type) {
      case NET_MESSAGE.CNETMsg_SetConVar:
        for (const { name, value } of decodeMessage('CNETMsg_SetConVar', bytes).convars?.cvars ?? []) {
          listener.conVar(tick, name, value);
        }
        break;
      case NET_MESSAGE.CSVCMsg_ServerInfo: {
        const info = decodeMessage('CSVCMsg_ServerInfo', bytes);
        entities.setMaxClasses(info.max_classes);
        listener.serverInfo(info);
        break;
      }
      case NET_MESSAGE.CSVCMsg_CreateStringTable:
        strings.create(bytes);
        break;
      case NET_MESSAGE.CSVCMsg_UpdateStringTable:
        strings.update(bytes);
        break;
      case NET_MESSAGE.CSVCMsg_ClearAllStringTables:
        strings.clear();
        break;
      case NET_MESSAGE.CMsgSource1LegacyGameEventList:
        listener.gameEventList(decodeMessage('CMsgSource1LegacyGameEventList', bytes));
        break;
      case NET_MESSAGE.CMsgSource1LegacyGameEvent:
        listener.gameEvent(tick, decodeMessage('CMsgSource1LegacyGameEvent', bytes));
        break;
    }
  }

  /**
   * Reads svc_PacketEntities by hand: its two long fields are read in place, because copying them would cost more than
   * reading them.
   */
  function readEntities(end: number): void {
    let updatedEntries = 0;
    let isDelta = false;
    let hasVisBits = false;
    let hasSizes = false;
    data.reset(frameBuffer.buffer, 0, 0);
    while (bits.position < end) {
      const tag = bits.varUint32();
      const wireType = tag & 7;
      if (wireType === 0) {
        const value = bits.varUint32();
        if (tag >>> 3 === FIELD.updated_entries[0]) updatedEntries = value;
        else if (tag >>> 3 === FIELD.legacy_is_delta[0]) isDelta = value !== 0;
        else if (tag >>> 3 === FIELD.has_pvs_vis_bits_deprecated[0]) hasVisBits = value !== 0;
      } else if (wireType === 2) {
        const length = bits.varUint32() * 8;
        const until = bits.position + length;
        if (until > end) throw new Error('a field is longer than its message');
        if (tag >>> 3 === FIELD.entity_data[0]) data.reset(frameBuffer.buffer, bits.position, until);
        else if (tag >>> 3 === FIELD.serialized_entities[0] && length > 0) {
          hasSizes = true;
          sizes.reset(frameBuffer.buffer, bits.position, until);
        }
        bits.position = until;
      } else {
        bits.position += wireType === 5 ? 32 : 64;
      }
    }
    if (isDelta && !synchronous) return;
    synchronous = entities.apply({ updatedEntries, isDelta, hasVisBits, data, sizes: hasSizes ? sizes : null });
  }

  return ({ command, compressed, tick, payload }) => {
    if (payload === null || !READ_COMMANDS.has(command)) return;
    // Known entities need no full packet.
    if (command === DEMO_COMMAND.fullPacket && synchronous) return;
    const bytes = frameBuffer.fill(payload, compressed);
    switch (command) {
      case DEMO_COMMAND.fileHeader:
        listener.fileHeader(decodeMessage('CDemoFileHeader', bytes));
        break;
      case DEMO_COMMAND.sendTables:
        sendTables = readSendTables(bytes.slice());
        break;
      case DEMO_COMMAND.classInfo:
        if (sendTables === null) throw new Error('classes come before their fields');
        entities.setClasses(sendTables, decodeMessage('CDemoClassInfo', bytes).classes);
        break;
      case DEMO_COMMAND.stringTables:
        strings.snapshot(decodeMessage('CDemoStringTables', bytes));
        break;
      case DEMO_COMMAND.fullPacket: {
        const { string_table, packet } = decodeMessage('CDemoFullPacket', bytes);
        if (string_table !== null) strings.snapshot(string_table);
        if (packet !== null) readPacket(packet.data, tick, true);
        listener.packetEnd(tick);
        break;
      }
      default:
        readPacket(packetData(bytes), tick, false);
        if (command === DEMO_COMMAND.packet) listener.packetEnd(tick);
    }
  };
}

const FIELD = MESSAGES.CSVCMsg_PacketEntities;

const READ_COMMANDS: ReadonlySet<number> = new Set([
  DEMO_COMMAND.fileHeader,
  DEMO_COMMAND.sendTables,
  DEMO_COMMAND.classInfo,
  DEMO_COMMAND.stringTables,
  DEMO_COMMAND.packet,
  DEMO_COMMAND.signonPacket,
  DEMO_COMMAND.fullPacket,
]);

/** A full packet repeats the state for a seek, and has no events. */
function isWanted(type: number, isFull: boolean): boolean {
  return isFull ? type === NET_MESSAGE.CSVCMsg_ServerInfo : WANTED_MESSAGES.has(type);
}

const WANTED_MESSAGES: ReadonlySet<number> = new Set([
  NET_MESSAGE.CNETMsg_SetConVar,
  NET_MESSAGE.CSVCMsg_ServerInfo,
  NET_MESSAGE.CSVCMsg_CreateStringTable,
  NET_MESSAGE.CSVCMsg_UpdateStringTable,
  NET_MESSAGE.CSVCMsg_ClearAllStringTables,
  NET_MESSAGE.CMsgSource1LegacyGameEventList,
  NET_MESSAGE.CMsgSource1LegacyGameEvent,
]);

/** Returns the one field of CDemoPacket, in place. */
function packetData(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== DATA_TAG) return decodeMessage('CDemoPacket', bytes).data;
  let at = 1;
  let length = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return bytes.subarray(at, at + length);
}

const DATA_TAG = (MESSAGES.CDemoPacket.data[0] << 3) | 2;
