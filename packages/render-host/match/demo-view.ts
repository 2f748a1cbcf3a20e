import { DEMO_COMMAND, PREAMBLE_BYTES } from '#demo-format/container.ts';
import type { TickSpan } from '#domain/clip/plan/match.ts';
import type { ErrorCode, Facts } from '#domain/failure/codes.ts';
import { fileKind, HEAD_BYTES, isCrLf, WRONG_FILES, wrongFile } from '#domain/lib/file-headers.ts';
import { cleanName } from '#domain/lib/text.ts';
import { SubmitRequest } from '#protocol/clip/submit.ts';
import { type HostInspection, MAX_INSPECTED, MAX_NAME, READER_VERSION } from '#protocol/demo/demos.ts';
import { firstBytesOf } from '../machine/work-dir.ts';
import type { FileHeader } from '../source2/demo-reader.ts';
import { type FramesEnd, Refusal, walkFrames } from '../source2/frames.ts';
import type { MatchInspection } from './inspect-match.ts';
import type { Damage } from './match.ts';

/** The errors of a demo file that cannot become a clip. */
export type DemoFault = Extract<ErrorCode, 'demo_failed_parse' | 'demo_incompatible'>;

/** Stops a parse from inside the parser's callbacks. `readMatch` turns it into a result. */
export class RejectedDemo extends Refusal {
  readonly code: DemoFault;
  readonly facts: Facts | undefined;

  constructor(code: DemoFault, detail: string, facts?: Facts) {
    super(detail);
    this.name = 'RejectedDemo';
    this.code = code;
    this.facts = facts;
  }
}

/** Adds to a list that a crafted recording could grow without end. */
export function addAtMost<T>(list: T[], most: number, what: string, thing: T): void {
  if (list.length >= most) throw new RejectedDemo('demo_failed_parse', `more than ${most} ${what}`);
  list.push(thing);
}

const EventMoment = SubmitRequest.pick({ steam64_id: true, round: true, timeline: true });

/** Converts an inspection to its wire format. If it is too large, the least important part is left out first. */
export function demoView(found: MatchInspection): HostInspection {
  const players = found.players.slice(0, MAX_INSPECTED.players);
  const isKnown = (index: number | null): index is number => index !== null && index < players.length;
  const isWhole = (['players', 'rounds', 'kills', 'gaps'] as const).every(
    (list) => found[list].length <= MAX_INSPECTED[list],
  );
  const kills = found.kills.slice(0, MAX_INSPECTED.kills).flatMap((kill) => {
    const { tick, round, attacker, victim, assister, headshot, wallbang } = kill;
    if (round === null || !isKnown(attacker) || !isKnown(victim)) return [];
    return {
      tick,
      round,
      attacker,
      victim,
      headshot,
      wallbang,
      assister: isKnown(assister) ? assister : null,
      weapon: cleanName(kill.weapon, MAX_NAME),
      no_scope: kill.noScope,
      through_smoke: kill.throughSmoke,
      attacker_blind: kill.attackerBlind,
      ...(found.endings.has(kill) ? { ends_round: true as const } : {}),
    };
  });
  const left = (found.killsLeftOut ?? 0) + found.kills.length - kills.length;
  return {
    map: cleanName(found.map, MAX_NAME),
    game_patch: found.gamePatch,
    build: found.build,
    tick_rate: found.tickRate,
    first_tick: found.firstTick,
    last_tick: found.lastTick,
    is_complete: found.complete,
    ...(found.damage ? { damage: { tick: found.damage.tick, reason: cleanName(found.damage.reason, MAX_NAME) } } : {}),
    recorded_by: found.recordedBy,
    reader: READER_VERSION,
    players: players.map(({ steamId, name, isBot, team, kills, deaths, killsByRound }) => ({
      steam64_id: steamId,
      name: cleanName(name, MAX_NAME),
      is_bot: isBot,
      team,
      kills,
      deaths,
      kills_by_round: Object.fromEntries(killsByRound),
    })),
    rounds: found.rounds
      .slice(0, MAX_INSPECTED.rounds)
      .map(({ number, startTick, endTick, officialEndTick, winner, reason, score }) => ({
        round: number,
        start_tick: startTick,
        end_tick: endTick,
        winner,
        reason,
        official_end_tick: officialEndTick,
        score: score && { T: score.T, CT: score.CT },
      })),
    ...(isWhole
      ? { gaps: found.gaps.map(({ startTick, endTick }) => ({ start_tick: startTick, end_tick: endTick })) }
      : {}),
    ...(found.otherParts.length > 0
      ? {
          parts: found.otherParts.slice(0, MAX_INSPECTED.parts).map(({ startTick, endTick, rounds, players: who }) => ({
            start_tick: startTick,
            end_tick: endTick,
            rounds,
            players: who.filter(isKnown),
          })),
        }
      : {}),
    kills,
    ...(left > 0 ? { kills_left_out: left } : {}),
    // Some bots have no id that a request can name.
    highlights: found.highlights
      .filter(({ player, request }) => isKnown(player) && EventMoment.safeParse(request).success)
      .slice(0, MAX_INSPECTED.highlights)
      .map(({ player, round, startTick, endTick, feats, score, request }) => {
        const kinds = feats.map(({ kind }) => kind);
        const [kind = ''] = kinds;
        const { steam64_id, timeline } = request;
        return {
          kind,
          kinds: kinds.slice(0, 50),
          player,
          round,
          start_tick: startTick,
          end_tick: endTick,
          score,
          request: timeline ? { timeline } : { steam64_id, round: request.round },
        };
      }),
  };
}

/**
 * Refuses demos of other Source 2 games: Dota 2 and Deadlock share the container.
 *
 * @throws {RejectedDemo} `demo_incompatible`, or `demo_failed_parse` for a header without a map.
 */
export function checkHeader({ game_directory, map_name }: FileHeader): void {
  const game = game_directory.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  if (game !== '' && game !== 'csgo') {
    throw new RejectedDemo('demo_incompatible', `a demo of another game: ${JSON.stringify(game)}`, {
      game: cleanName(game, GAME_LENGTH_AT_MOST),
    });
  }
  if (map_name === '') throw new RejectedDemo('demo_failed_parse', 'the demo does not name its map');
}

/** Code points. */
const GAME_LENGTH_AT_MOST = 40;
/** Code points. The game's maps have some ten. */
const MAP_LENGTH_AT_MOST = 64;

/** Returns the name of a map for pictures and titles. */
export function mapLabel(mapName: string): string {
  return cleanName(mapName, MAP_LENGTH_AT_MOST) || 'an unnamed map';
}

/**
 * Ticks. A longer distance between packets is a gap: the recording paused, or the server skipped ahead. Some servers
 * record every second or fourth tick.
 */
const LARGEST_STEP = 64;
/** The most gaps of a recording. Each is a cut in a clip that crosses it. The demo is read up to the next one. */
const MOST_GAPS = 1000;

/** What may be read of a demo. It has limits because a few bytes can claim any number. */
export interface ReadLimits {
  /** Bytes of one frame, stored and unpacked. */
  readonly frameBytes: number;
  /** Ticks of all gaps together. The demo is read up to the gap that exceeds them. */
  readonly gapTicks: number;
}

type DamagedEnd = Extract<FramesEnd, { kind: 'damage' }>;

/** The ticks that a recording covers, by its frames. */
export interface DemoExtent {
  readonly firstTick: number;
  readonly lastTick: number;
  /**
   * Whether the recording has its end mark. Without it (a server was shut down) it is good up to its last complete
   * frame.
   */
  readonly complete: boolean;
  /** Left out for a recording without damage, with an end mark or without. */
  readonly damage?: Damage;
  /** The bytes of the file before the damage; without damage, of the whole. */
  readonly size: number;
  /** Gaps of the recording. */
  readonly gaps: readonly TickSpan[];
}

/**
 * Walks the frames of a demo file without reading their content. This is cheap compared to the parse, which allocates
 * memory by its result. Frames after a damaged one are ignored.
 *
 * @param known damage that only a parse can find.
 * @throws {RejectedDemo} `demo_incompatible` for a Source 1 (CS:GO) demo, else `demo_failed_parse`.
 */
export async function readDemoExtent(
  path: string,
  { frameBytes, gapTicks }: ReadLimits,
  known: DamagedEnd | null = null,
): Promise<DemoExtent> {
  checkMagic(await firstBytesOf(path));
  const gaps: TickSpan[] = [];
  let firstTick: number | null = null;
  let lastTick = 0;
  let skipped = 0;
  const size = known?.at ?? Infinity;
  const walked = await walkFrames(path, { payloads: false, frameBytes, size }, ({ command, tick }) => {
    if ((command !== DEMO_COMMAND.packet && command !== DEMO_COMMAND.fullPacket) || tick < 0) return;
    if (firstTick !== null && tick > lastTick + LARGEST_STEP) {
      skipped += tick - lastTick;
      if (skipped > gapTicks) throw new Error(`it jumps over ${skipped} ticks, more than the ${gapTicks} accepted`);
      if (gaps.length >= MOST_GAPS) throw new Error(`it jumps over ticks more than ${MOST_GAPS} times`);
      gaps.push({ startTick: lastTick + 1, endTick: tick });
    }
    firstTick ??= tick;
    lastTick = Math.max(lastTick, tick);
  });
  const end = known ?? walked;
  if (firstTick === null || lastTick <= firstTick) {
    const kinds = { stop: 'holds no recorded ticks', cut: 'is cut off before its first tick' };
    const what = end.kind === 'damage' ? `is damaged before its first tick: ${end.reason}` : kinds[end.kind];
    throw new RejectedDemo('demo_failed_parse', `the demo ${what}`);
  }
  const extent = { firstTick, lastTick, complete: end.kind === 'stop', gaps, size };
  if (end.kind !== 'damage') return extent;
  return { ...extent, size: end.at, damage: { tick: lastTick, reason: end.reason } };
}

function checkMagic(start: Buffer): void {
  const head = start.toString('hex', 0, HEAD_BYTES);
  const kind = fileKind(head);
  if (kind === 'csgo-demo') {
    const detail = 'a Source 1 demo (CS:GO), not one of Counter-Strike 2';
    throw new RejectedDemo('demo_incompatible', detail, { game: 'CS:GO' });
  }
  const found = kind === 'demo' && isCrLf(start) ? 'crlf' : wrongFile(head);
  if (found !== null) throw new RejectedDemo('demo_failed_parse', `it is ${WRONG_FILES[found]}`, { found });
  if (start.length < PREAMBLE_BYTES)
    throw new RejectedDemo('demo_failed_parse', `the file is only ${start.length} bytes long`);
  if (kind !== 'demo') throw new RejectedDemo('demo_failed_parse', 'not a demo file: unknown magic bytes');
}
