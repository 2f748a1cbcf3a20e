import type { TickSpan } from '#domain/clip/plan/match.ts';
import { type Failure, failure } from '#domain/failure/codes.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { sideAt } from '#scene/match/match.ts';
import { isSystemError } from '../machine/program.ts';
import { readDemo, type ServerInfo } from '../source2/demo-reader.ts';
import type { Entities } from '../source2/entities.ts';
import { wasSent } from '../source2/frames.ts';
import { ACTION_EVENTS, COMBAT_EVENTS, createActionRecorder, createCombatRecorder } from './combat-recorder.ts';
import {
  checkHeader,
  type DemoExtent,
  type DemoFault,
  mapLabel,
  type ReadLimits,
  RejectedDemo,
  readDemoExtent,
} from './demo-view.ts';
import { createEffectRecorder, EFFECT_EVENTS } from './effect-recorder.ts';
import {
  SAMPLED_FIELDS,
  sampledBomb,
  sampledControllers,
  sampledFires,
  sampledPlayers,
  sampledSmokes,
  samplePawn,
  sampleSeers,
} from './entity-sampler.ts';
import { createEventDecoder, createGameVariables, type EventList, type GameEvent } from './game-events.ts';
import type { Match, PlayerIndex } from './match.ts';
import { createOutfitRecorder } from './outfit-recorder.ts';
import { readRounds } from './read-rounds.ts';
import { createEventPlayers, createRoster, type Roster, readCrosshair, withoutCoaches } from './roster.ts';
import { clocksOf, createRoundSigns, ROUND_EVENTS } from './round-signs.ts';
import { createSightRecorder, createTrackRecorder, MOST_PLAYERS, type PlayerSample } from './track-recorder.ts';

export type MatchResult =
  | {
      readonly ok: true;
      readonly match: Match;
      /** The list of events that the demo had; null if it used another demo's. */
      readonly eventList?: EventList | null;
    }
  | Failure<DemoFault>;

/** Lists of events by the build of the game, for demos without one. */
export type KnownEventLists = Readonly<Record<string, EventList>>;

/** A fire spreads slowly, so it is sampled this often. */
const FIRE_TICKS = 4;
/** The tick rate of Counter-Strike 2, for a demo without one. */
const USUAL_TICK_RATE = 64;
/** Ticks a second. Servers run at 64 or 128. With other rates a clip would have no length, or no end. */
const TICK_RATES = { least: 8, most: 512 } as const;

/** The limits of a parse. 64 MB of a frame are many times what real ones have. An hour is a long pause. */
export const READ_LIMITS: ReadLimits = { frameBytes: 64 * 1024 * 1024, gapTicks: 230_400 };

/**
 * Reads a decompressed demo file into a `Match`, in this process. The parser trusts its input: a hostile or broken file
 * can make it throw, hang or run out of memory. Except in tests, call `parseDemo`, which runs this in a child process.
 *
 * @throws the system error if the file cannot be read.
 * @param onProgress gets the last tick read and the number of all ticks.
 */
export async function readMatch(
  path: string,
  onProgress: (tick: number, ticks: number) => void = () => {},
  limits: ReadLimits = READ_LIMITS,
  known: KnownEventLists = {},
): Promise<MatchResult> {
  try {
    let extent = await readDemoExtent(path, limits);
    let reading = createReading(extent, onProgress, known);
    const options = { frameBytes: limits.frameBytes, size: extent.size };
    const end = await readDemo(path, SAMPLED_FIELDS, reading.listen, options);
    if (end.kind === 'damage') {
      // Reads it again, only up to the damage: much of a match depends on its last tick.
      extent = await readDemoExtent(path, limits, end);
      reading = createReading(extent, onProgress, known);
      await readDemo(path, SAMPLED_FIELDS, reading.listen, { ...options, size: extent.size });
    }
    return { ok: true, match: reading.finish(), eventList: reading.eventList() };
  } catch (error) {
    if (isSystemError(error)) throw error;
    if (error instanceof RejectedDemo) return failure(error.code, error.message, error.facts);
    return failure('demo_failed_parse', `the parser gave up: ${reasonOf(error)}`);
  }
}

function createReading(
  { firstTick, lastTick, complete, damage, gaps }: DemoExtent,
  onProgress: (tick: number, ticks: number) => void,
  known: KnownEventLists,
) {
  const roster = createRoster();
  const decoder = createEventDecoder(new Set([...ROUND_EVENTS, ...EFFECT_EVENTS, ...COMBAT_EVENTS, ...ACTION_EVENTS]));
  const signs = createRoundSigns();
  const combat = createCombatRecorder();
  const actions = createActionRecorder();
  const outfits = createOutfitRecorder();
  const sights = createSightRecorder();
  const tracks = createTrackRecorder(firstTick, lastTick);
  const crosshairs = new Map<PlayerIndex, string>();
  const header = { map: null as string | null, patch: 0, build: 0, client: '', serverTick: 0 };
  let tickRate = USUAL_TICK_RATE;
  let server: ServerInfo | null = null;
  let hasEventList = false;
  let lastSeen = -1;
  let startsWithChicken = false;
  const variables = createGameVariables();
  const fuseAt = (tick: number): number | null => variables.at('mp_c4timer', tick) || null;
  const isFreeForAll = (tick: number): boolean => (variables.at('mp_teammates_are_enemies', tick) ?? 0) > 0;
  const effects = createEffectRecorder(() => tickRate, fuseAt, lastTick);

  function listen(entities: Entities) {
    const players = createEventPlayers(roster, entities);

    function sampleOf(player: PlayerIndex | null): PlayerSample | null {
      for (const { slot, team, pawn } of sampledPlayers(entities)) {
        if (pawn !== null && player !== null && roster.playerAt(slot) === player) return samplePawn(pawn, team);
      }
      return null;
    }

    /** A spectator does not take part, whatever the recording says that they see. */
    function playingIn(slot: number): PlayerIndex | null {
      for (const player of sampledPlayers(entities)) if (player.slot === slot) return roster.playerAt(slot);
      return null;
    }

    function onEvent(tick: number, event: GameEvent): void {
      signs.event(tick, event);
      const player = /^bomb_/.test(event.name) ? players.who(event, 'userid') : null;
      effects.handle(tick, event, event.name === 'bomb_planted' ? sampleOf(player) : null, player);
      actions.handle(tick, event, (field) => players.who(event, field));
      combat.handle(event, { tick, freeForAll: isFreeForAll(tick), who: players.who, teamOf: players.teamOf });
    }

    return {
      fileHeader(message: Parameters<typeof checkHeader>[0]) {
        checkHeader(message);
        header.map = mapLabel(message.map_name);
        header.patch = message.patch_version;
        header.build = message.build_num;
        header.client = message.client_name;
        header.serverTick = message.server_start_tick;
        const list = known[buildOf(header) ?? ''];
        if (list !== undefined) {
          decoder.useEventList(list);
          hasEventList = true;
        }
      },
      serverInfo(info: ServerInfo) {
        server = info;
        if (info.tick_interval > 0) tickRate = Math.round(1 / info.tick_interval);
        if (tickRate < TICK_RATES.least || tickRate > TICK_RATES.most) {
          throw new RejectedDemo('demo_failed_parse', `it claims ${tickRate} ticks a second`);
        }
      },
      userInfo: (slot: number, info: Parameters<Roster['update']>[2]) => roster.update(lastSeen, slot, info),
      conVar(tick: number, name: string, value: string) {
        variables.note(tick, name, value);
      },
      gameEventList(list: Parameters<typeof decoder.setEventList>[0]) {
        hasEventList = true;
        decoder.setEventList(list);
      },
      gameEvent(tick: number, message: Parameters<typeof decoder.decode>[0]) {
        const event = decoder.decode(message);
        if (event !== null) onEvent(tick, event);
      },
      packetEnd(tick: number) {
        if (tick < firstTick) return;
        for (const name of NEEDED_CLASSES) {
          const fault = entities.faults().get(name);
          if (fault !== undefined) throw new Error(`the players cannot be read: ${fault}`);
        }
        if (lastSeen < 0) startsWithChicken = entities.has('CChicken');
        lastSeen = tick;
        for (const controller of sampledControllers(entities)) roster.control(tick, controller.slot, controller);
        tracks.advanceTo(tick);
        if (tick % FIRE_TICKS === 0) {
          for (const { index, flames } of sampledFires(entities)) effects.burn(tick, index, flames);
          for (const { index, ...at } of sampledSmokes(entities)) effects.cloud(tick, index, at);
        }
        const planted = sampledBomb(entities);
        effects.bomb(tick, planted, roster.playerAt(planted?.defuser ?? null));
        let count = 0;
        const isOutfitTick = outfits.begin(tick, entities, roster);
        for (const { slot, team, pawn, money, crosshair } of sampledPlayers(entities)) {
          const player = roster.playerAt(slot);
          if (player === null) continue;
          count += 1;
          players.note(player, team, pawn?.index ?? null);
          if (crosshair !== '') crosshairs.set(player, crosshair);
          const sample = pawn === null ? null : samplePawn(pawn, team);
          if (sample === null) continue;
          tracks.put(player, sample);
          sights.put(tick, player, pawn !== null && sample.alive ? sampleSeers(pawn) : null, playingIn);
          if (isOutfitTick && pawn !== null) outfits.put(player, entities, pawn, money);
          combat.noteHealth(player, sample.health);
        }
        signs.tickEnd(tick, entities, count);
        onProgress(tick - firstTick, lastTick - firstTick);
      },
    };
  }

  function finish(): Match {
    if (header.map === null) throw new RejectedDemo('demo_failed_parse', 'the demo has no header');
    if (!hasEventList) {
      const build = buildOf(header);
      const whose = build === null ? 'and does not name its build' : `and none of build ${build} is known here yet`;
      throw new RejectedDemo('demo_failed_parse', `the demo has no list of game events, ${whose}: no kill can be read`);
    }
    const recorder = recorderOf(roster, header.client, server);
    const players = roster.players();
    if (players.length > MOST_PLAYERS) throw new RejectedDemo('demo_failed_parse', `${players.length} players`);
    if (players.length === 0) throw new RejectedDemo('demo_failed_parse', 'nobody plays in this demo');
    const { map } = header;
    const matchRounds = variables.matchRounds();
    const clocks = clocksOf(signs.signs(), header.serverTick, tickRate);
    const tracked = tracks.finish(players.length);
    const sidesAt = (tick: number) => new Map(players.map((_, player) => [player, sideAt(tracked, player, tick)]));
    const { rounds, otherParts, evidence, starts, roundAt } = readRounds(signs.signs(), firstTick, lastTick, sidesAt);
    const fought = combat.finish(roundAt);
    // Some servers report a pause while the game goes on.
    const pauses = signs.pauses(lastTick).filter((pause) => !fought.weaponFires.some(({ tick }) => isIn(pause, tick)));
    const match: Match = {
      map,
      gamePatch: header.patch > 0 ? header.patch : null,
      build: header.build > 0 ? header.build : null,
      tickRate,
      firstTick,
      lastTick,
      complete,
      ...(damage ? { damage } : {}),
      ...(startsWithChicken ? { startsWithChicken: true } : {}),
      players: players.map((player, index) => {
        const crosshair = readCrosshair(crosshairs.get(index) ?? '');
        return crosshair === null ? player : { ...player, crosshair };
      }),
      recorder,
      gaps: [...gaps, ...pauses].sort((a, b) => a.startTick - b.startTick),
      rounds,
      otherParts,
      ...(isFreeForAll(lastTick) ? { freeForAll: true } : {}),
      ...(matchRounds === null ? {} : { matchRounds }),
      clocks:
        clocks.length > 0
          ? clocks
          : starts.map((tick) => ({ tick, startTick: null, seconds: variables.roundSeconds(map, tick) })),
      roundEvidence: evidence,
      ...fought,
      ...actions.finish(),
      ...outfits.finish(),
      sights: sights.finish(lastTick),
      effects: effects.finish(starts),
      tracks: tracked,
    };
    return withoutCoaches(match, roster.coaches());
  }

  return { listen, finish, eventList: decoder.ownList };
}

/** Returns the build that a header names, or its patch; null if it names neither. */
function buildOf({ build, patch }: { readonly build: number; readonly patch: number }): string | null {
  return build > 0 ? `${build}` : patch > 0 ? `patch-${patch}` : null;
}

function isIn({ startTick, endTick }: TickSpan, tick: number): boolean {
  return tick > startTick && tick < endTick;
}

const NEEDED_CLASSES = ['CCSPlayerController', 'CCSPlayerPawn'];

/**
 * Returns the player who recorded the demo from their own view: the demo names them as its client, and the client was
 * not the server's recorder. Of two players of that name it is the one in the slot that the server gave its client. If
 * the server says which kind of client this was, a recorder among the players does not matter: matches have one,
 * watched or not.
 */
function recorderOf(roster: Roster, clientName: string, server: ServerInfo | null): PlayerIndex | null {
  const isServers = server !== null && wasSent(server, 'is_hltv') ? server.is_hltv : roster.sawRecorder();
  if (isServers) return null;
  const slots = roster.slotsNamed(clientName);
  const own = slots.find((slot) => slot === server?.player_slot);
  return roster.playerAt(own ?? slots[0] ?? null);
}
