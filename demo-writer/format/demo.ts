import type { MatchFrame, ScriptedMatch } from '../script/scripted-match.ts';
import { TICK_RATE } from '../script/scripted-match.ts';
import { CLASS_NAMES } from './classes.ts';
import {
  BEFORE_START,
  DEMO_COMMAND,
  fileStart,
  frame,
  HEADER_BYTES,
  type NetMessage,
  packetData,
  packetFrame,
} from './container.ts';
import type { EntityPacket } from './entity-list.ts';
import { gameEventList, gameEventMessage } from './game-event-messages.ts';
import { encodeMessage } from './messages.ts';
import { classInfo, sendTables } from './send-tables.ts';
import { createStringTable, type StringTable, stringTablesSnapshot } from './string-table.ts';
import { createWorld, SERVER_START_TICK, type World } from './world.ts';

const MAX_CLIENTS = 64;
/** A minute: how often the game writes everything anew, so that a viewer can seek. */
const FULL_PACKET_TICKS = 3840;
const DEMO_VERSION_GUID = '8e9d71ab-04a1-4c01-bb61-acfede27c046';

export interface DemoSummary {
  readonly sizeBytes: number;
  readonly ticks: number;
  /** The file's first bytes, final: what `demoChunks` yielded first had to be written before these were known. */
  readonly start: Uint8Array;
}

/**
 * Writes a match in the format of the game, frame by frame, in bounded memory. The first chunk is the file's start
 * with its offsets still zero; the caller puts `start` of the returned summary in its place.
 */
export function* demoChunks(match: ScriptedMatch): Generator<Uint8Array, DemoSummary> {
  const world = createWorld(match);
  let offset = 0;
  let lastTick = 0;
  function* emit(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void> {
    for (const chunk of chunks) {
      offset += chunk.length;
      yield chunk;
    }
  }

  yield* emit([fileStart(0, 0), frame(DEMO_COMMAND.fileHeader, BEFORE_START, fileHeader(match))]);
  const tables = stringTables(match, world);
  yield* emit(signon(match, tables));
  for (const state of match.frames()) {
    world.apply(state);
    yield* emit([packetFrame(DEMO_COMMAND.packet, state.tick, tickMessages(state, world))]);
    if (state.tick === 1 || state.tick % FULL_PACKET_TICKS === 0) {
      yield* emit([frame(DEMO_COMMAND.fullPacket, state.tick, fullPacket(state.tick, world, tables))]);
    }
    lastTick = state.tick;
  }

  yield* emit([frame(DEMO_COMMAND.stop, lastTick, new Uint8Array(0))]);
  const spawnGroupsOffset = offset;
  yield* emit([frame(DEMO_COMMAND.spawnGroups, lastTick, new Uint8Array(0))]);
  const fileInfoOffset = offset;
  const info = { playback_time: lastTick / TICK_RATE, playback_ticks: lastTick, playback_frames: lastTick };
  yield* emit([frame(DEMO_COMMAND.fileInfo, lastTick, encodeMessage('CDemoFileInfo', info))]);
  return { sizeBytes: offset, ticks: lastTick, start: fileStart(fileInfoOffset, spawnGroupsOffset) };
}

/** The whole demo in memory: for short matches. */
export function encodeDemo(match: ScriptedMatch): Uint8Array {
  const chunks: Uint8Array[] = [];
  const generator = demoChunks(match);
  let step = generator.next();
  for (; step.done !== true; step = generator.next()) chunks.push(step.value);
  const whole = Buffer.concat(chunks);
  whole.set(step.value.start.subarray(0, HEADER_BYTES), 0);
  return whole;
}

function fileHeader(match: ScriptedMatch): Uint8Array {
  return encodeMessage('CDemoFileHeader', {
    demo_file_stamp: 'PBDEMS2\0',
    patch_version: match.patchVersion,
    server_name: match.serverName,
    client_name: 'SourceTV Demo',
    map_name: match.map,
    game_directory: match.gameDirectory,
    fullpackets_version: 2,
    allow_clientside_entities: true,
    allow_clientside_particles: true,
    addons: '',
    demo_version_name: 'valve_demo_2',
    demo_version_guid: DEMO_VERSION_GUID,
    build_num: match.buildNumber,
    server_start_tick: SERVER_START_TICK,
  });
}

/** Everything a client is told before it enters the game. */
function* signon(match: ScriptedMatch, tables: readonly StringTable[]): Generator<Uint8Array> {
  const packet = (...messages: NetMessage[]): Uint8Array =>
    packetFrame(DEMO_COMMAND.signonPacket, BEFORE_START, messages);
  const signonState = (state: number): Uint8Array =>
    packet(['CNETMsg_SignonState', { signon_state: state, spawn_count: 2, num_server_players: 0 }]);
  yield packet(['CNETMsg_Tick', { tick: SERVER_START_TICK - 1 }]);
  yield packet(['CSVCMsg_ClearAllStringTables', { mapname: match.map }]);
  yield packet(...tables.map(createStringTable));
  yield packet([
    'CSVCMsg_ServerInfo',
    {
      protocol: match.patchVersion,
      server_count: 2,
      is_dedicated: true,
      is_hltv: true,
      c_os: 'l'.charCodeAt(0),
      max_clients: MAX_CLIENTS,
      max_classes: CLASS_NAMES.length,
      player_slot: match.players.length,
      tick_interval: 1 / TICK_RATE,
      game_dir: match.gameDirectory,
      map_name: match.map,
      host_name: match.serverName,
      addon_name: '',
    },
  ]);
  yield packet([
    'CNETMsg_SetConVar',
    {
      convars: {
        cvars: [
          { name: 'mp_friendlyfire', value: 'true' },
          { name: 'mp_roundtime', value: '1.92' },
        ],
      },
    },
  ]);
  yield signonState(3);
  yield frame(DEMO_COMMAND.sendTables, BEFORE_START, sendTables());
  yield frame(DEMO_COMMAND.classInfo, BEFORE_START, classInfo());
  const snapshot = encodeMessage('CDemoStringTables', stringTablesSnapshot(tables));
  yield frame(DEMO_COMMAND.stringTables, BEFORE_START, snapshot);
  yield packet(['CSVCMsg_ClassInfo', { create_on_client: true }]);
  yield packet(['CSVCMsg_VoiceInit', { quality: 5, codec: 'vaudio_speex' }], gameEventList());
  yield signonState(4);
  yield signonState(5);
  yield frame(DEMO_COMMAND.syncTick, BEFORE_START, new Uint8Array(0));
}

function stringTables(match: ScriptedMatch, world: World): StringTable[] {
  const players = new Map(match.players.map((player) => [player.userId, player]));
  const userInfo = Array.from({ length: MAX_CLIENTS }, (_, slot) => {
    const player = players.get(slot);
    if (player === undefined) return { key: String(slot), value: null };
    const value = encodeMessage('CMsgPlayerInfo', {
      name: player.name,
      xuid: player.steamId,
      userid: player.userId,
      steamid: player.steamId,
      fakeplayer: false,
      ishltv: false,
    });
    return { key: String(slot), value };
  });
  const baselines = CLASS_NAMES.map((_, id) => ({ key: String(id), value: world.entities.baselines.get(id) ?? null }));
  return [
    { name: 'instancebaseline', flags: 1, entries: baselines },
    { name: 'userinfo', flags: 0, entries: userInfo },
  ];
}

function tickMessages(state: MatchFrame, world: World): NetMessage[] {
  const isFirst = state.tick === 1;
  return [
    tickMessage(state.tick),
    entitiesMessage(state.tick, isFirst ? null : state.tick - 1, world.entities.delta()),
    ...state.events.map((event) => gameEventMessage(event, world.pawnHandle)),
  ];
}

function fullPacket(tick: number, world: World, tables: readonly StringTable[]): Uint8Array {
  const data = packetData([tickMessage(tick), entitiesMessage(tick, null, world.entities.snapshot())]);
  return encodeMessage('CDemoFullPacket', { string_table: stringTablesSnapshot(tables), packet: { data } });
}

function tickMessage(tick: number): NetMessage {
  return ['CNETMsg_Tick', { tick: SERVER_START_TICK + tick }];
}

/** @param deltaFrom the tick the changes are based on; null where nothing is known yet */
function entitiesMessage(tick: number, deltaFrom: number | null, packet: EntityPacket): NetMessage {
  return [
    'CSVCMsg_PacketEntities',
    {
      max_entries: 512,
      updated_entries: packet.updatedEntries,
      legacy_is_delta: deltaFrom !== null,
      update_baseline: false,
      baseline: 0,
      ...(deltaFrom === null ? {} : { delta_from: SERVER_START_TICK + deltaFrom }),
      entity_data: packet.entityData,
      active_spawngroup_handle: 1,
      max_spawngroup_creationsequence: 1,
      last_cmd_number_executed: 0,
      server_tick: SERVER_START_TICK + tick,
      serialized_entities: packet.serializedEntities,
      has_pvs_vis_bits_deprecated: 0,
    },
  ];
}
