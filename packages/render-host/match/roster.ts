import { cleanName } from '#domain/clean-text.ts';
import type { UserInfo } from '../source2/demo-reader.ts';
import type { Player, PlayerIndex } from './match.ts';

/** Code points. The game keeps 128 bytes at most. */
const NAME_LENGTH_AT_MOST = 128;

/** The players in the slots now, and all who took part. A slot is the entity index of a player's controller - 1. */
export interface Roster {
  /**
   * Handles a change of a slot in the `userinfo` table. An emptied slot keeps its last holder, because late events
   * still name them.
   */
  update(tick: number, slot: number, info: UserInfo | null): void;
  /** Returns the player in the slot, who then counts as having taken part; null for nobody and for GOTV. */
  playerAt(slot: number | null): PlayerIndex | null;
  /** Returns the player of a userid, even if they have left and another one has their slot; null for an unknown one. */
  playerOf(userId: number): PlayerIndex | null;
  /** Whether the server's recorder (GOTV) has ever had a slot. */
  sawRecorder(): boolean;
  /** Returns the slots whose holder has that name now. */
  slotsNamed(name: string): readonly number[];
  players(): readonly Player[];
}

type Seated = Omit<Player, 'seats'>;

/**
 * Keeps players by Steam id, so that one who returns in another slot stays one player. The `steamid` field of
 * `userinfo` is the only id that bots have too; others are 0. A spectator (a coach, a caster) never gets an index,
 * because nothing asks for the player in that slot.
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

/** Bots of old builds have no id, so their slot and name identify them. */
function keyOf(player: Seated, slot: number): string {
  return player.steamId === '0' ? `${slot}:${player.name}` : player.steamId;
}
