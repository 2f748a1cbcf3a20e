import { cleanName } from '#domain/clean-text.ts';
import type { UserInfo } from '../source2/demo-reader.ts';
import type { Player, PlayerIndex } from './match.ts';

/** Code points; the game keeps 128 bytes at most. */
const NAME_LENGTH_AT_MOST = 128;

/** Who sits in which slot now, and everyone who took part. A slot is the entity index of a player's controller - 1. */
export interface Roster {
  /** A slot of the `userinfo` table changed. An emptied slot keeps its last holder: late events still name him. */
  update(tick: number, slot: number, info: UserInfo | null): void;
  /** The player in the slot, who thereby counts as having taken part; null for nobody and for GOTV. */
  playerAt(slot: number | null): PlayerIndex | null;
  /** The player of a userid, also when he has left and another one sits in his slot; null for one that nobody had. */
  playerOf(userId: number): PlayerIndex | null;
  /** Whether a recorder of the server (GOTV) was ever there. */
  sawRecorder(): boolean;
  /** Slots whose holder has that name now. */
  slotsNamed(name: string): readonly number[];
  players(): readonly Player[];
}

type Seated = Omit<Player, 'seats'>;

/**
 * Keeps players by Steam id, so that one who leaves and comes back in another slot stays one player. The `steamid`
 * field of `userinfo` is the one id that bots have too; they carry 0 everywhere else. Somebody who only watched (a
 * coach, a caster) never gets an index, for nothing asks for the player in that slot.
 */
export function createRoster(): Roster {
  const seated = new Map<number, Seated>();
  const byUserId = new Map<number, { readonly key: string; readonly player: Seated }>();
  const seats = new Map<string, { sinceTick: number; slot: number }[]>();
  const indexOf = new Map<string, PlayerIndex>();
  const players: Seated[] = [];
  let sawRecorder = false;

  function indexFor(key: string, player: Seated): PlayerIndex {
    const known = indexOf.get(key);
    if (known !== undefined) return known;
    players.push(player);
    indexOf.set(key, players.length - 1);
    return players.length - 1;
  }

  return {
    update(tick, slot, info) {
      if (info === null) return;
      if (info.ishltv) {
        sawRecorder = true;
        seated.delete(slot);
        return;
      }
      const name = cleanName(info.name, NAME_LENGTH_AT_MOST);
      const player = { steamId: steamIdOf(info), name, userId: info.userid, isBot: info.fakeplayer };
      const key = keyOf(player, slot);
      seated.set(slot, player);
      byUserId.set(info.userid, { key, player });
      const taken = seats.get(key) ?? [];
      if (taken.at(-1)?.slot !== slot) taken.push({ sinceTick: Math.max(tick, 0), slot });
      seats.set(key, taken);
      const index = indexOf.get(key);
      if (index !== undefined) players[index] = player;
    },

    playerAt(slot) {
      const player = slot === null ? undefined : seated.get(slot);
      return slot === null || player === undefined ? null : indexFor(keyOf(player, slot), player);
    },

    playerOf(userId) {
      const known = byUserId.get(userId);
      return known === undefined ? null : indexFor(known.key, known.player);
    },

    sawRecorder: () => sawRecorder,
    slotsNamed(name) {
      const wanted = cleanName(name, NAME_LENGTH_AT_MOST);
      return [...seated].flatMap(([slot, player]) => (player.name === wanted ? [slot] : []));
    },

    players() {
      const keys = new Map([...indexOf].map(([key, index]) => [index, key]));
      return players.map((player, index) => ({ ...player, seats: seats.get(keys.get(index) ?? '') ?? [] }));
    },
  };
}

function steamIdOf(info: UserInfo): string {
  const steamId = info.steamid.toString();
  return steamId === '0' ? info.xuid.toString() : steamId;
}

/** Bots of old builds have no id at all: their seat and name tell them apart. */
function keyOf(player: Seated, slot: number): string {
  return player.steamId === '0' ? `${slot}:${player.name}` : player.steamId;
}
