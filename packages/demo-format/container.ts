/**
 * A Source 2 demo file is a preamble (magic, two offsets) and then frames: command, tick and payload size as varints,
 * then the payload. A recording that ended properly has a `stop` frame near its end.
 */
export const PREAMBLE_BYTES = 16;
export const DEMO_MAGIC = 'PBDEMS2\0';

/** The bit of a frame's command that says that its payload is Snappy data. */
export const COMPRESSED_FLAG = 64;

/** Numbers of the frames of a file. */
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
  consoleCommand: 9,
  fullPacket: 13,
  spawnGroups: 15,
  animationData: 16,
} as const;

/** Numbers of the messages in a packet. */
export const NET_MESSAGE = {
  CNETMsg_Tick: 4,
  CNETMsg_StringCmd: 5,
  CNETMsg_SetConVar: 6,
  CNETMsg_SignonState: 7,
  CSVCMsg_ServerInfo: 40,
  CSVCMsg_ClassInfo: 42,
  CSVCMsg_CreateStringTable: 44,
  CSVCMsg_UpdateStringTable: 45,
  CSVCMsg_VoiceInit: 46,
  CSVCMsg_Print: 48,
  CSVCMsg_ClearAllStringTables: 51,
  CSVCMsg_PacketEntities: 55,
  CSVCMsg_Broadcast_Command: 74,
  CSVCMsg_UserCommands: 76,
  CMsgSource1LegacyGameEventList: 205,
  CMsgSource1LegacyGameEvent: 207,
} as const;
