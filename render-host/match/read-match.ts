import { createReadStream } from 'node:fs';
import {
  type DemoPacket,
  DemoPacketType,
  InterceptorStage,
  Logger,
  type MessagePacket,
  MessagePacketType,
  Parser,
  ParserConfiguration,
  StringTableEvent,
  StringTableType,
} from '@deademx/cs2';
import { isSystemError } from '../machine/system-error.ts';
import { COMBAT_EVENTS, createCombatRecorder } from './combat-recorder.ts';
import { type DemoExtent, readDemoExtent } from './demo-frames.ts';
import { checkHeader, headerFrom, mapLabel } from './demo-header.ts';
import { createEffectRecorder, EFFECT_EVENTS } from './effect-recorder.ts';
import { SAMPLED_CLASSES, sampleEntities, sampleSlot, teamOfSlot } from './entity-sampler.ts';
import { createEventDecoder, type GameEvent } from './game-events.ts';
import type { Match } from './match.ts';
import { type DemoFault, RejectedDemo } from './rejected-demo.ts';
import { createRoster } from './roster.ts';
import { ROUND_EVENTS, trackRounds } from './round-events.ts';
import { createRoundTracker } from './round-tracker.ts';
import { createTrackRecorder } from './track-recorder.ts';

export type MatchResult =
  | { readonly ok: true; readonly match: Match }
  | { readonly ok: false; readonly code: DemoFault; readonly detail: string };

/** Counter-Strike 2 simulates 64 ticks a second, whatever the server asks for. */
const TICK_RATE = 64;

/**
 * Reads a decompressed demo file into a `Match`, in this process. The parser trusts its input: a hostile or broken
 * file can make it throw, hang or run out of memory, so outside of tests go through `parseDemo`, which runs this in a
 * child process.
 *
 * @throws the system error when the file cannot be read.
 * @param onProgress called with the last tick read and the number of ticks in all.
 */
export async function readMatch(
  path: string,
  onProgress: (tick: number, ticks: number) => void = () => {},
): Promise<MatchResult> {
  try {
    const extent = await readDemoExtent(path);
    const match = await parse(path, extent, onProgress);
    return { ok: true, match };
  } catch (error) {
    if (isSystemError(error)) throw error;
    if (error instanceof RejectedDemo) return { ok: false, code: error.code, detail: error.message };
    return { ok: false, code: 'demo_failed_parse', detail: `the parser gave up: ${messageOf(error)}` };
  }
}

async function parse(
  path: string,
  { firstTick, lastTick }: DemoExtent,
  onProgress: (tick: number, ticks: number) => void,
): Promise<Match> {
  const parser = new Parser(
    new ParserConfiguration({
      entityClasses: SAMPLED_CLASSES,
      messagePacketTypes: [
        MessagePacketType.SVC_PACKET_ENTITIES,
        MessagePacketType.GE_SOURCE1_LEGACY_GAME_EVENT,
        MessagePacketType.GE_SOURCE1_LEGACY_GAME_EVENT_LIST,
      ],
    }),
    Logger.NOOP,
  );
  const demo = parser.getDemo();
  const roster = createRoster();
  const events = createEventDecoder(new Set([...ROUND_EVENTS, ...EFFECT_EVENTS, ...COMBAT_EVENTS]));
  const rounds = createRoundTracker(firstTick);
  const effects = createEffectRecorder(TICK_RATE, lastTick);
  const combat = createCombatRecorder();
  const tracks = createTrackRecorder(firstTick, lastTick);
  let map: string | null = null;
  let gamePatch: number | null = null;

  demo.stringTableContainer.subscribe(StringTableEvent.TABLE_CHANGED, (_container, table, entries) => {
    if (table.type !== StringTableType.USER_INFO) return;
    for (const entry of entries) roster.update(entry.id, entry.value);
  });

  function onEvent(tick: number, event: GameEvent): void {
    trackRounds(rounds, tick, event);
    if (event.name === 'round_start') effects.roundStarted(tick);
    const actor = event.name === 'bomb_planted' ? event.slot('userid') : null;
    effects.handle(tick, event, actor === null ? null : sampleSlot(demo, actor));
    combat.handle(event, {
      tick,
      playerAt: roster.playerAt,
      teamAt: (slot) => (slot === null ? null : teamOfSlot(demo, slot)),
      span: rounds.currentSpan,
    });
  }

  function onMessage(packet: DemoPacket, message: MessagePacket): void {
    if (message.type === MessagePacketType.GE_SOURCE1_LEGACY_GAME_EVENT_LIST) events.learn(message.data);
    // A full packet repeats the state for those who seek there; nothing happens in it.
    if (message.type !== MessagePacketType.GE_SOURCE1_LEGACY_GAME_EVENT || packet.type !== DemoPacketType.DEM_PACKET) {
      return;
    }
    const event = events.decode(message.data);
    if (event !== null) onEvent(packet.tick, event);
  }

  function onPacket(packet: DemoPacket): void {
    if (packet.type === DemoPacketType.DEM_FILE_HEADER) {
      const header = headerFrom(packet.data);
      checkHeader(header);
      map = mapLabel(header);
      gamePatch = header.patchVersion;
    }
    const recorded = packet.type === DemoPacketType.DEM_PACKET || packet.type === DemoPacketType.DEM_FULL_PACKET;
    if (!recorded || packet.tick < firstTick) return;
    tracks.advanceTo(packet.tick);
    for (const { slot, sample } of sampleEntities(demo)) {
      const player = roster.playerAt(slot);
      if (player === null || sample === null) continue;
      tracks.put(player, sample);
      combat.noteHealth(player, sample.health);
    }
    onProgress(packet.tick - firstTick, lastTick - firstTick);
  }

  parser.registerPostInterceptor(InterceptorStage.MESSAGE_PACKET, onMessage);
  parser.registerPostInterceptor(InterceptorStage.DEMO_PACKET, onPacket);
  await parser.parse(createReadStream(path, { highWaterMark: 1 << 18 }));

  const players = roster.players();
  if (map === null) throw new RejectedDemo('demo_failed_parse', 'the demo has no header');
  if (players.length === 0) throw new RejectedDemo('demo_failed_parse', 'nobody plays in this demo');
  const counted = rounds.finish();
  return {
    map,
    gamePatch,
    tickRate: TICK_RATE,
    firstTick,
    lastTick,
    players,
    fromStart: rounds.sawMatchStart(),
    rounds: counted,
    ...combat.finish(),
    effects: effects.finish(),
    tracks: tracks.finish(players.length),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
