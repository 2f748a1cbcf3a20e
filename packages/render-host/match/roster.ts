import { cleanName } from '#domain/clean-text.ts';
import type { UserInfo } from '../source2/demo-reader.ts';
import type { Player, PlayerIndex } from './match.ts';

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
