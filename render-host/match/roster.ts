import type { Long } from '@deademx/cs2';
import { cleanName } from '../../domain/clean-text.ts';
import type { Player, PlayerIndex } from './match.ts';

/** Code points; the game keeps 128 bytes at most. */
const NAME_LENGTH_AT_MOST = 128;

/** An entry of the `userinfo` string table, as decoded by the parser. */
interface UserInfo {
  readonly name: string;
  readonly xuid: Long | null;
  readonly userid: number;
  readonly steamid: Long | null;
  readonly fakeplayer: boolean;
  readonly ishltv: boolean;
}

/** Who sits in which slot now, and everyone who took part. A slot is the entity index of a player's controller - 1. */
export interface Roster {
  /** A slot of the `userinfo` table changed. An emptied slot keeps its last holder: late events still name him. */
  update(slot: number, value: unknown): void;
  /** The player in the slot, who thereby counts as having taken part; null for nobody and for GOTV. */
  playerAt(slot: number | null): PlayerIndex | null;
  players(): readonly Player[];
}

/**
 * Keeps players by Steam id, so that one who leaves and comes back in another slot stays one player. The `steamid`
 * field of `userinfo` is the one id that bots have too; they carry 0 everywhere else. Somebody who only watched (a
 * coach, a caster) never gets an index, for nothing asks for the player in that slot.
 */
export function createRoster(): Roster {
  const seated = new Map<number, Player>();
  const indexOf = new Map<string, PlayerIndex>();
  const players: Player[] = [];

  return {
    update(slot, value) {
      if (value === null || value === undefined) return;
      const info = value as UserInfo;
      if (info.ishltv) {
        seated.delete(slot);
        return;
      }
      const player: Player = {
        steamId: steamIdOf(info),
        name: cleanName(info.name, NAME_LENGTH_AT_MOST),
        userId: info.userid,
        isBot: info.fakeplayer,
      };
      seated.set(slot, player);
      const index = indexOf.get(keyOf(player, slot));
      if (index !== undefined) players[index] = player;
    },

    playerAt(slot) {
      const player = slot === null ? undefined : seated.get(slot);
      if (slot === null || player === undefined) return null;
      const key = keyOf(player, slot);
      const known = indexOf.get(key);
      if (known !== undefined) return known;
      players.push(player);
      indexOf.set(key, players.length - 1);
      return players.length - 1;
    },

    players: () => players,
  };
}

function steamIdOf(info: UserInfo): string {
  const steamId = String(info.steamid ?? '0');
  return steamId === '0' ? String(info.xuid ?? '0') : steamId;
}

/** Bots of old builds have no id at all: their seat and name tell them apart. */
function keyOf(player: Player, slot: number): string {
  return player.steamId === '0' ? `${slot}:${player.name}` : player.steamId;
}
