import { DEMO_COMMAND, DEMO_MAGIC, PREAMBLE_BYTES } from '#demo-format/container.ts';
import type { MatchFrame, ScriptedMatch } from '../script/scripted-match.ts';
import { TICK_RATE } from '../script/scripted-match.ts';
import { animationFrame, ballastMessages } from './ballast.ts';
import { CLASS_NAMES } from './classes.ts';
import { BEFORE_START, fileStart, frame, type NetMessage, packetData, packetFrame } from './container.ts';
import type { EntityPacket } from './entity-list.ts';
import { type EventIds, gameEventList, gameEventMessage } from './game-event-messages.ts';
import { encodeMessage } from './messages.ts';
import type { RecordingOptions } from './recording.ts';
import { SERVER_START_TICK } from './rules-fields.ts';
import { classInfo, sendTables } from './send-tables.ts';
import { createStringTable, type StringTable, stringTablesSnapshot, updateStringTable } from './string-table.ts';
import { createUserInfo, MAX_CLIENTS, RECORDER_SLOT, type SeatChange, type UserInfoTable } from './user-info.ts';
import { createWorld, type GameWorld } from './world.ts';

/** A minute. The game repeats the whole state this often, so that a viewer can seek. */
const FULL_PACKET_TICKS = 3840;
const DEMO_VERSION_GUID = '8e9d71ab-04a1-4c01-bb61-acfede27c046';

export interface DemoSummary {
  readonly sizeBytes: number;
  readonly ticks: number;
  /** The file's final first bytes. `demoChunks` yields a placeholder first, before these are known. */
  readonly start: Uint8Array;
}

/**
 * Writes a match in the game's format, frame by frame, in bounded memory. The first chunk is the file's start with zero
 * offsets. The caller replaces it by `start` of the returned summary.
 */
export function* demoChunks(match: ScriptedMatch, options: RecordingOptions = {}): Generator<Uint8Array, DemoSummary> {
  const { fromTick = 1, jumps = [], endMark = true, isHeavy = false } = options;
  const world = createWorld(match, options);
  const users = createUserInfo(match, options);
  let offset = 0;
  let lastTick = 0;
  const early: SeatChange[] = [];
  function* emit(chunks: Iterable<Uint8Array>): Generator<Uint8Array, void> {
    for (const chunk of chunks) {
      offset += chunk.length;
      yield chunk;
    }
  }

  yield* emit([fileStart(0, 0), frame(DEMO_COMMAND.fileHeader, BEFORE_START, fileHeader(match, options))]);
  yield* emit(signon(match, stringTables(world, users), options));
  for (const state of match.frames()) {
    world.apply(state);
    const seats = users.apply(state);
    const changes = world.entities.delta();
    if (state.tick < fromTick) {
      early.push(...seats);
      continue;
    }
    const isFirst = state.tick === fromTick;
    const tick = jumps.reduce((sum, { atTick, by }) => sum + (state.tick >= atTick ? by : 0), state.tick);
    const entities = entitiesMessage(
      tick,
      isFirst ? null : lastTick,
      isFirst ? world.entities.snapshot() : changes,
      options,
    );
    const messages = tickMessages(state, tick, entities, [...early.splice(0), ...seats], options, {
      wireId: users.wireId,
      pawnHandle: world.pawnHandle,
    });
    if (isHeavy) messages.push(...ballastMessages(tick));
    yield* emit([packetFrame(DEMO_COMMAND.packet, tick, messages)]);
    if (isHeavy) yield* emit([animationFrame(tick)]);
    if (isFirst || state.tick % FULL_PACKET_TICKS === 0) {
      yield* emit([frame(DEMO_COMMAND.fullPacket, tick, fullPacket(tick, world, users, options))]);
    }
    lastTick = tick;
  }

  if (!endMark) return { sizeBytes: offset, ticks: lastTick, start: fileStart(0, 0) };
  yield* emit([frame(DEMO_COMMAND.stop, lastTick, new Uint8Array(0))]);
  const spawnGroupsOffset = offset;
  yield* emit([frame(DEMO_COMMAND.spawnGroups, lastTick, new Uint8Array(0))]);
  const fileInfoOffset = offset;
  const info = { playback_time: lastTick / TICK_RATE, playback_ticks: lastTick, playback_frames: lastTick };
  yield* emit([frame(DEMO_COMMAND.fileInfo, lastTick, encodeMessage('CDemoFileInfo', info))]);
  return { sizeBytes: offset, ticks: lastTick, start: fileStart(fileInfoOffset, spawnGroupsOffset) };
}

/** Returns the whole demo in memory, for short matches. */
export function encodeDemo(match: ScriptedMatch, options: RecordingOptions = {}): Uint8Array {
  const chunks: Uint8Array[] = [];
  const generator = demoChunks(match, options);
  let step = generator.next();
  for (; step.done !== true; step = generator.next()) chunks.push(step.value);
  const whole = Buffer.concat(chunks);
  whole.set(step.value.start.subarray(0, PREAMBLE_BYTES), 0);
  return whole;
}

function fileHeader(match: ScriptedMatch, { recordedBy, addons = '' }: RecordingOptions): Uint8Array {
  const recorder = match.players.find(({ userId }) => userId === recordedBy);
  return encodeMessage('CDemoFileHeader', {
    demo_file_stamp: DEMO_MAGIC,
    patch_version: match.patchVersion,
    server_name: match.serverName,
    client_name: recorder?.name ?? 'SourceTV Demo',
    map_name: match.map,
    game_directory: match.gameDirectory,
    fullpackets_version: 2,
    allow_clientside_entities: true,
    allow_clientside_particles: true,
    addons,
    demo_version_name: 'valve_demo_2',
    demo_version_guid: DEMO_VERSION_GUID,
    build_num: match.buildNumber,
    server_start_tick: SERVER_START_TICK,
  });
}

/** Everything that a client gets before it enters the game. */
function* signon(
  match: ScriptedMatch,
  tables: readonly StringTable[],
  { recordedBy, conVars = {}, tickRate = TICK_RATE, eventList = true, classNames }: RecordingOptions,
): Generator<Uint8Array> {
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
      is_hltv: recordedBy === undefined,
      c_os: 'l'.charCodeAt(0),
      max_clients: MAX_CLIENTS,
      max_classes: CLASS_NAMES.length,
      player_slot: recordedBy ?? RECORDER_SLOT,
      tick_interval: 1 / tickRate,
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
          ...Object.entries({ ...match.conVars, ...conVars }).map(([name, value]) => ({ name, value })),
        ],
      },
    },
  ]);
  yield signonState(3);
  yield frame(DEMO_COMMAND.sendTables, BEFORE_START, sendTables());
  yield frame(DEMO_COMMAND.classInfo, BEFORE_START, classInfo(classNames));
  const snapshot = encodeMessage('CDemoStringTables', stringTablesSnapshot(tables));
  yield frame(DEMO_COMMAND.stringTables, BEFORE_START, snapshot);
  yield packet(['CSVCMsg_ClassInfo', { create_on_client: true }]);
  const voice: NetMessage = ['CSVCMsg_VoiceInit', { quality: 5, codec: 'vaudio_speex' }];
  yield eventList ? packet(voice, gameEventList()) : packet(voice);
  yield signonState(4);
  yield signonState(5);
  yield frame(DEMO_COMMAND.syncTick, BEFORE_START, new Uint8Array(0));
}

/** The position of `userinfo` in the list below, which its updates name. */
const USER_INFO_TABLE = 1;

function stringTables(world: GameWorld, users: UserInfoTable): StringTable[] {
  const baselines = CLASS_NAMES.map((_, id) => ({ key: String(id), value: world.entities.baselines.get(id) ?? null }));
  const userInfo = users.table().map((value, slot) => ({ key: String(slot), value }));
  return [
    { name: 'instancebaseline', flags: 1, entries: baselines },
    { name: 'userinfo', flags: 0, entries: userInfo },
  ];
}

/** Events that servers have not sent since February 2024. */
const NATIVE_ROUND_EVENTS: ReadonlySet<string> = new Set(['round_start', 'round_end', 'round_officially_ended']);

function tickMessages(
  { events }: MatchFrame,
  tick: number,
  entities: NetMessage,
  seats: readonly SeatChange[],
  { nativeRoundEvents = false }: RecordingOptions,
  ids: EventIds,
): NetMessage[] {
  const sent = events.filter(({ name }) => nativeRoundEvents || !NATIVE_ROUND_EVENTS.has(name));
  return [
    tickMessage(tick),
    ...seats.map(({ slot, value }) => updateStringTable(USER_INFO_TABLE, slot, value)),
    entities,
    ...sent.map((event) => gameEventMessage(event, ids)),
  ];
}

function fullPacket(tick: number, world: GameWorld, users: UserInfoTable, options: RecordingOptions): Uint8Array {
  const data = packetData([tickMessage(tick), entitiesMessage(tick, null, world.entities.snapshot(), options)]);
  return encodeMessage('CDemoFullPacket', {
    string_table: stringTablesSnapshot(stringTables(world, users)),
    packet: { data },
  });
}

function tickMessage(tick: number): NetMessage {
  return ['CNETMsg_Tick', { tick: SERVER_START_TICK + tick }];
}

/** @param deltaFrom the tick that the changes are based on; null without one */
function entitiesMessage(
  tick: number,
  deltaFrom: number | null,
  packet: EntityPacket,
  { payloadSizes = true }: RecordingOptions,
): NetMessage {
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
      ...(payloadSizes ? { serialized_entities: packet.serializedEntities } : {}),
      has_pvs_vis_bits_deprecated: 0,
    },
  ];
}
