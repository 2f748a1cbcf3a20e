import { decodeCrosshairShareCode } from 'csgo-sharecode';
import { HANDLE_INDEX_BITS } from '#demo-format/game.ts';
import { cleanName } from '#domain/lib/text.ts';
import type { UserInfo } from '../source2/demo-reader.ts';
import type { Entities } from '../source2/entities.ts';
import { sampledPlayers, slotOfPawn } from './entity-sampler.ts';
import { isAlive } from './feats.ts';
import type { GameEvent } from './game-events.ts';
import type { Crosshair, Match, Player, PlayerIndex, Round, Team } from './match.ts';
import { tracksOf } from './track-recorder.ts';

/** Code points. The game keeps 128 bytes at most. */
const NAME_LENGTH_AT_MOST = 128;

/** The players in the slots now, and all who took part. A slot is the entity index of a player's controller - 1. */
export interface Roster {
  /**
   * Handles a change of a slot in the `userinfo` table. An emptied slot keeps its last holder, because late events
   * still name them. Some recordings repeat the entry of a former holder, so it seats no human whom a controller names.
   */
  update(tick: number, slot: number, info: UserInfo | null): void;
  /** Handles a slot's controller, at each tick: it decides which human has the slot, and their name. */
  control(tick: number, slot: number, controller: Controller): void;
  /** Returns the player in the slot, who then counts as having taken part; null for nobody and for GOTV. */
  playerAt(slot: number | null): PlayerIndex | null;
  /**
   * Returns the player of a userid, even if they have left and another one has their slot; null for a coach, undefined
   * for an unknown userid.
   */
  playerOf(userId: number): PlayerIndex | null | undefined;
  /** Whether the server's recorder (GOTV) has ever had a slot. */
  sawRecorder(): boolean;
  /** Returns the slots whose holder has that name now. */
  slotsNamed(name: string): readonly number[];
  players(): readonly Player[];
  /** Returns who of these is a coach now: they were players when they joined. */
  coaches(): readonly PlayerIndex[];
}

/** Who has a slot, by the entity of its controller. */
export interface Controller {
  readonly entity: object;
  /** 0 for a bot. */
  readonly steamId: bigint;
  readonly name: string;
  /** A coach gets no index, even if events name them. */
  readonly isCoach?: boolean;
}

type Seated = Omit<Player, 'seats'>;

/**
 * Keeps players by Steam id, so that one who returns in another slot stays one player. The `steamid` field of
 * `userinfo` is the only id that bots have too; others are 0. A spectator (a coach, a caster) never gets an index,
 * because nothing asks for the player in that slot.
 */
export function createRoster(): Roster {
  const entries = new Map<number, Seated>();
  const controllers = new Map<number, Controller>();
  /** Names of humans by their controllers, by key. */
  const names = new Map<string, string>();
  const people = new Map<string, Seated>();
  const coaches = new Set<string>();
  const byUserId = new Map<number, { readonly key: string; readonly slot: number }>();
  const seats = new Map<string, { sinceTick: number; slot: number }[]>();
  const indexOf = new Map<string, PlayerIndex>();
  let sawRecorder = false;

  function indexFor(key: string): PlayerIndex | null {
    if (coaches.has(key)) return null;
    const index = indexOf.get(key) ?? indexOf.size;
    indexOf.set(key, index);
    return index;
  }

  /** Returns the key of the player in a slot. */
  function holderOf(slot: number): string | null {
    const { steamId = 0n } = controllers.get(slot) ?? {};
    const entry = entries.get(slot);
    if (steamId !== 0n) return `${steamId}`;
    return entry === undefined ? null : keyOf(entry, slot);
  }

  function seat(tick: number, slot: number): void {
    const key = holderOf(slot);
    if (key === null) return;
    const taken = seats.get(key) ?? [];
    if (taken.at(-1)?.slot !== slot) taken.push({ sinceTick: Math.max(tick, 0), slot });
    seats.set(key, taken);
  }

  return {
    update(tick, slot, info) {
      if (info === null) return;
      if (info.ishltv) {
        sawRecorder = true;
        entries.delete(slot);
        return;
      }
      const name = cleanName(info.name, NAME_LENGTH_AT_MOST);
      const player = { steamId: steamIdOf(info), name, userId: info.userid, isBot: info.fakeplayer };
      if (player.steamId === '0' && name === '') return;
      const key = keyOf(player, slot);
      people.set(key, { ...player, name: names.get(key) ?? name });
      byUserId.set(info.userid, { key, slot });
      const controller = controllers.get(slot);
      if (isOfBot(controller, player)) return;
      entries.set(slot, player);
      if (!names.has(key) && (controller?.steamId ?? 0n) === 0n) seat(tick, slot);
    },

    control(tick, slot, controller) {
      const before = controllers.get(slot);
      const { entity, steamId, isCoach } = controller;
      const isSame = before?.name === controller.name && before.isCoach === isCoach;
      if (isSame && before.entity === entity && before.steamId === steamId) return;
      controllers.set(slot, controller);
      const entry = entries.get(slot);
      const key = `${steamId}`;
      const name = cleanName(controller.name, NAME_LENGTH_AT_MOST);
      if (steamId !== 0n) {
        const known = people.get(key) ?? { steamId: key, name, userId: entry?.userId ?? NO_USER_ID, isBot: false };
        people.set(key, { ...known, name: name || known.name });
        names.set(key, name || known.name);
        if (isCoach) coaches.add(key);
        else coaches.delete(key);
      } else if (entry !== undefined && isOfBot(controller, entry)) {
        const bot = { steamId: key, name, userId: entry.userId, isBot: true };
        entries.set(slot, bot);
        people.set(keyOf(bot, slot), bot);
      }
      seat(tick, slot);
    },

    playerAt(slot) {
      const key = slot === null ? null : holderOf(slot);
      return key === null ? null : indexFor(key);
    },

    playerOf(userId) {
      const known = byUserId.get(userId);
      if (known === undefined) return undefined;
      const holder = holderOf(known.slot);
      // The repeated entry of a former holder may have the same id as the player in the slot.
      return indexFor(holder !== null && people.get(holder)?.userId === userId ? holder : known.key);
    },

    sawRecorder: () => sawRecorder,
    slotsNamed(name) {
      const wanted = cleanName(name, NAME_LENGTH_AT_MOST);
      const isNamed = (slot: number) =>
        entries.get(slot)?.name === wanted || people.get(holderOf(slot) ?? '')?.name === wanted;
      return [...new Set([...entries.keys(), ...controllers.keys()])].filter(isNamed);
    },

    players: () =>
      [...indexOf.keys()].flatMap((key) => {
        const player = people.get(key);
        return player === undefined ? [] : [{ ...player, seats: seats.get(key) ?? [] }];
      }),
    coaches: () => [...indexOf].flatMap(([key, index]) => (coaches.has(key) ? [index] : [])),
  };
}

/** Of a player whom no entry names. */
const NO_USER_ID = -1;

/** Whether the slot is a bot's, and the entry a human's who had it before. */
function isOfBot(controller: Controller | undefined, { isBot, name }: Seated): boolean {
  if (controller === undefined || controller.steamId !== 0n || controller.name === '') return false;
  return !isBot && cleanName(controller.name, NAME_LENGTH_AT_MOST) !== name;
}

function steamIdOf(info: UserInfo): string {
  const steamId = info.steamid.toString();
  return steamId === '0' ? info.xuid.toString() : steamId;
}

/** Bots of old builds have no id, so their slot and name identify them. */
function keyOf(player: Seated, slot: number): string {
  return player.steamId === '0' ? `${slot}:${player.name}` : player.steamId;
}

/** The userid of nobody. */
const NOBODY = 0xffff;

/** Finds the player whom an event names, and their side. */
export interface EventPlayers {
  who(event: GameEvent, field: string): PlayerIndex | null;
  teamOf(player: PlayerIndex): Team | null;
  /** Notes a player's side and body while both exist, because the player may have left at the event that names them. */
  note(player: PlayerIndex, team: Team, pawnIndex: number | null): void;
}

/**
 * An event names a player by userid, and since 2023 by body too. Userids are those of `userinfo`, over 65,000 on some
 * servers; on others the event has the slot in the low byte. The body decides if the userid is unknown.
 */
export function createEventPlayers(roster: Roster, entities: Entities): EventPlayers {
  const lastTeam = new Map<PlayerIndex, Team>();
  const lastOwner = new Map<number, PlayerIndex>();

  function byPawn(handle: number): PlayerIndex | null {
    if (handle === -1) return null;
    const slot = slotOfPawn(entities, handle);
    return roster.playerAt(slot) ?? lastOwner.get(handle & PAWN_INDEX) ?? null;
  }

  return {
    who(event, field) {
      const userId = event.optional(field);
      const isNobody = userId === null || userId < 0 || userId === NOBODY;
      const exact = isNobody ? undefined : roster.playerOf(userId);
      if (exact !== undefined) return exact;
      const pawn = byPawn(event.optional(`${field}_pawn`) ?? -1);
      if (pawn !== null || isNobody) return pawn;
      const short = roster.playerOf(userId & 0xffff);
      return short === undefined ? roster.playerAt(userId & 0xff) : short;
    },

    teamOf(player) {
      for (const { slot, team } of sampledPlayers(entities)) if (roster.playerAt(slot) === player) return team;
      return lastTeam.get(player) ?? null;
    },

    note(player, team, pawnIndex) {
      lastTeam.set(player, team);
      if (pawnIndex !== null) lastOwner.set(pawnIndex, player);
    },
  };
}

const PAWN_INDEX = (1 << HANDLE_INDEX_BITS) - 1;

/** Servers kill a coach so close to the end of the freeze time. */
const NEAR_TICKS = 64;
/** The members of a match's lists that name a player. */
const NAMES = ['player', 'by', 'attacker', 'victim', 'assister', 'carrier', 'defusedBy'] as const;
type Naming = { readonly [name in (typeof NAMES)[number]]?: PlayerIndex | null };

/**
 * Returns the match without coaches who join as players of a side, and what names one of them. No round has them alive
 * after its freeze time: the world kills them as it ends, or the server marks them as coaches.
 *
 * @param marked those that the server marks
 */
export function withoutCoaches(match: Match, marked: readonly PlayerIndex[]): Match {
  const { players, recorder, tracks, otherParts } = match;
  const kept = [...players.keys()].filter((player) => !isCoach(match, player, marked.includes(player)));
  if (kept.length === players.length || kept.length === 0) return match;
  const list = <T extends Naming>(entries: readonly T[]): T[] =>
    entries.flatMap((entry) => {
      const named = NAMES.flatMap((name) => {
        const player = entry[name];
        return player == null ? [] : [[name, kept.indexOf(player)] as const];
      });
      return named.some(([, at]) => at < 0) ? [] : [Object.assign({}, entry, Object.fromEntries(named))];
    });
  const indexes = (before: readonly PlayerIndex[]) =>
    before.flatMap((player) => (kept.includes(player) ? [kept.indexOf(player)] : []));
  return {
    ...match,
    players: players.filter((_, player) => kept.includes(player)),
    otherParts: otherParts.map((part) => ({ ...part, players: indexes(part.players) })),
    recorder: recorder === null || !kept.includes(recorder) ? null : kept.indexOf(recorder),
    kills: list(match.kills),
    hurts: list(match.hurts),
    weaponFires: list(match.weaponFires),
    reloads: list(match.reloads),
    blindings: list(match.blindings),
    bombActions: list(match.bombActions),
    outfits: list(match.outfits),
    flights: list(match.flights),
    bombPlaces: list(match.bombPlaces),
    sights: list(match.sights),
    effects: list(match.effects),
    tracks: tracksOf(tracks, kept),
  };
}

function isCoach(match: Match, player: PlayerIndex, isMarked: boolean): boolean {
  const startOf = ({ freezeEndTick, startTick }: Round): number => freezeEndTick ?? startTick;
  const isKilled = match.kills.some(
    ({ attacker, victim, tick }) =>
      attacker === null &&
      victim === player &&
      match.rounds.some((round) => Math.abs(tick - startOf(round)) <= NEAR_TICKS),
  );
  if (!isKilled && !isMarked) return false;
  return match.rounds.every((round) => {
    const until = round.endTick ?? match.lastTick;
    for (let tick = startOf(round) + NEAR_TICKS + 1; tick <= until; tick++)
      if (isAlive(match, player, tick)) return false;
    return true;
  });
}

/** The colours of `cl_crosshaircolor` 0 to 4. Other values use the player's own. */
const PRESETS = ['#fa3232', '#32fa32', '#fafa32', '#3232fa', '#32fafa'];
/** Pixels of a unit of length or thickness, and of `cl_crosshairgap` 0. */
const UNIT = 2;
const GAP = 4;

/** Reads the share code that a demo has of a player. Returns null for a bot, which has none, and for a damaged one. */
export function readCrosshair(code: string): Crosshair | null {
  try {
    const read = decodeCrosshairShareCode(code);
    const own = `#${[read.red, read.green, read.blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    return {
      color: PRESETS[read.color] ?? own,
      alpha: read.alphaEnabled ? read.alpha / 255 : 1,
      length: read.length * UNIT,
      thickness: Math.max(1, read.thickness * UNIT),
      gap: GAP + read.gap,
      outline: read.outlineEnabled ? read.outline : 0,
      dot: read.centerDotEnabled,
      isT: read.tStyleEnabled,
    };
  } catch {
    return null;
  }
}
