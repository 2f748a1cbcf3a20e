import { Readable } from 'node:stream';
import {
  type Demo,
  DemoPacketType,
  type Entity,
  InterceptorStage,
  Logger,
  MessagePacketType,
  Parser,
  ParserConfiguration,
  StringTableEvent,
  StringTableType,
} from '@deademx/cs2';
import type { MatchFrame, ScriptedMatch } from '#demo-writer/script/scripted-match.ts';

export interface FoundEvent {
  readonly tick: number;
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Found {
  readonly header: Readonly<Record<string, unknown>>;
  /** Name and Steam id by userid, from the userinfo string table. */
  readonly players: ReadonlyMap<number, { readonly name: string; readonly steamId: string }>;
  readonly events: readonly FoundEvent[];
  /** The first differences between the entities of a tick and the script. */
  readonly differences: readonly string[];
  readonly ticks: number;
  /** The state of the game rules at the end of the recording. */
  readonly lastRules: Entity | undefined;
  /** Entities of each class that were there at any time. */
  readonly seen: ReadonlyMap<string, ReadonlySet<number>>;
  readonly demo: Demo;
}

interface EventList {
  readonly descriptors: readonly {
    readonly eventid: number;
    readonly name: string;
    readonly keys: readonly { readonly name: string }[];
  }[];
}

interface EventMessage {
  readonly eventid: number;
  readonly keys: readonly (Readonly<Record<string, unknown>> & { readonly type: number })[];
}

const VALUE_FIELD = [
  '',
  'valString',
  'valFloat',
  'valLong',
  'valShort',
  'valByte',
  'valBool',
  'valUint64',
  'valLong',
  'valShort',
];
const MOST_DIFFERENCES = 5;

/**
 * Reads a demo with `@deademx/cs2` and compares each tick with the script. Full packets, which repeat the state, are
 * compared with the tick before them too.
 *
 * @param entityClasses reads only these classes; default all, as in the parser
 */
export async function readWithDeadem(
  bytes: Uint8Array,
  match: ScriptedMatch,
  entityClasses?: readonly string[],
): Promise<Found> {
  const parser = new Parser(new ParserConfiguration(entityClasses === undefined ? {} : { entityClasses }), Logger.NOOP);
  const demo = parser.getDemo();
  const frames = match.frames()[Symbol.iterator]();
  const players = new Map<number, { name: string; steamId: string }>();
  const events: FoundEvent[] = [];
  const differences: string[] = [];
  const seen = new Map<string, Set<number>>();
  let header: Record<string, unknown> = {};
  let list: EventList = { descriptors: [] };
  let frame: MatchFrame | undefined;

  demo.stringTableContainer.subscribe(StringTableEvent.TABLE_CHANGED, (_, table, entries) => {
    if (table.type !== StringTableType.USER_INFO) return;
    for (const { value } of entries) {
      const info = value as { name: string; userid: number; steamid: object } | null;
      if (info !== null) players.set(info.userid, { name: info.name, steamId: String(info.steamid) });
    }
  });
  parser.registerPostInterceptor(InterceptorStage.MESSAGE_PACKET, ({ tick }, message) => {
    if (message.type === MessagePacketType.GE_SOURCE1_LEGACY_GAME_EVENT_LIST) list = message.data as EventList;
    if (message.type === MessagePacketType.GE_SOURCE1_LEGACY_GAME_EVENT) {
      events.push(decodeEvent(tick, list, message.data as EventMessage));
    }
  });
  parser.registerPostInterceptor(InterceptorStage.DEMO_PACKET, ({ type, tick, data }) => {
    if (type === DemoPacketType.DEM_FILE_HEADER) header = data as Record<string, unknown>;
    if (type === DemoPacketType.DEM_PACKET) frame = frames.next().value as MatchFrame | undefined;
    if (frame === undefined || differences.length >= MOST_DIFFERENCES) return;
    if (type !== DemoPacketType.DEM_PACKET && type !== DemoPacketType.DEM_FULL_PACKET) return;
    if (frame.tick !== tick) differences.push(`tick ${tick} where the script has ${frame.tick}`);
    differences.push(...compare(demo, match, frame));
    for (const name of TRANSIENT_CLASSES) noteSeen(seen, name, demo);
  });
  await parser.parse(Readable.from([bytes]));
  const [lastRules] = demo.getEntitiesByClassNameIterator('CCSGameRulesProxy');
  return { header, players, events, differences, ticks: frame?.tick ?? 0, lastRules, seen, demo };
}

const TRANSIENT_CLASSES = [
  'CSmokeGrenadeProjectile',
  'CFlashbangProjectile',
  'CHEGrenadeProjectile',
  'CMolotovProjectile',
  'CPlantedC4',
];

function noteSeen(seen: Map<string, Set<number>>, name: string, demo: Demo): void {
  const indices = seen.get(name) ?? new Set();
  for (const { index } of demo.getEntitiesByClassNameIterator(name)) indices.add(index);
  seen.set(name, indices);
}

function decodeEvent(tick: number, list: EventList, message: EventMessage): FoundEvent {
  const descriptor = list.descriptors.find(({ eventid }) => eventid === message.eventid);
  if (descriptor === undefined) throw new Error(`event ${message.eventid} is not in the list`);
  const values = descriptor.keys.map(({ name }, index) => {
    const key = message.keys[index];
    return [name, key?.[VALUE_FIELD[key.type] ?? '']];
  });
  return { tick, name: descriptor.name, values: Object.fromEntries(values) };
}

const INDEX_MASK = 0x3fff;
/** Positions are 32-bit floats, angles have 20 bits a turn. */
const POSITION_ERROR = 1 / 4096;
const ANGLE_ERROR = 360 / 2 ** 20;

function compare(demo: Demo, match: ScriptedMatch, frame: MatchFrame): string[] {
  return match.players.flatMap(({ userId, name }, slot) => {
    const controller = demo.getEntity(userId + 1);
    const pawn = demo.getEntity(Number(controller?.getField('m_hPlayerPawn')) & INDEX_MASK);
    const state = frame.players[slot];
    if (controller === null || pawn === null || state === undefined)
      return [`tick ${frame.tick}: no entity of ${name}`];
    const angles = pawn.getField('m_angEyeAngles') as ArrayLike<number>;
    const found: [what: string, found: unknown, wanted: number | boolean, error?: number][] = [
      ['x', coordinate(pawn, 'X'), state.x, POSITION_ERROR],
      ['y', coordinate(pawn, 'Y'), state.y, POSITION_ERROR],
      ['z', coordinate(pawn, 'Z'), state.z, POSITION_ERROR],
      ['yaw', nearestTurn(angles[1], state.yaw), state.yaw, ANGLE_ERROR],
      ['pitch', angles[0], state.pitch, ANGLE_ERROR],
      ['health', pawn.getField('m_iHealth'), state.health],
      ['armor', pawn.getField('m_ArmorValue'), state.armor],
      ['life state', pawn.getField('m_lifeState'), state.health > 0 ? 0 : 2],
      ['team', pawn.getField('m_iTeamNum'), state.team === 'T' ? 2 : 3],
      ['team of the controller', controller.getField('m_iTeamNum'), state.team === 'T' ? 2 : 3],
      ['scoped', pawn.getField('m_bIsScoped'), state.scoped],
      ['ducking', (Number(pawn.getField('m_fFlags')) & 2) !== 0, state.ducking],
    ];
    return found
      .filter(([, value, wanted, error]) =>
        error === undefined ? value !== wanted : !(Math.abs(Number(value) - Number(wanted)) <= error),
      )
      .map(([what, value, wanted]) => `tick ${frame.tick}, ${name}: ${what} is ${value}, not ${wanted}`);
  });
}

/** Returns the angle, give or take a full turn: -180 and 180 are the same. */
function nearestTurn(angle: number | undefined, to: number): number {
  const found = Number(angle);
  return found - 360 * Math.round((found - to) / 360);
}

/** A position as every reader of the game's demos computes it. */
function coordinate(pawn: Entity, axis: 'X' | 'Y' | 'Z'): number {
  const cell = Number(pawn.getField(`CBodyComponent.m_cell${axis}`));
  return (cell - 32) * 512 + Number(pawn.getField(`CBodyComponent.m_vec${axis}`));
}
