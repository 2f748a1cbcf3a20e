import type { MatchFrame, ScriptedMatch, ScriptedPlayer } from '../script/scripted-match.ts';
import { encodeMessage } from './messages.ts';
import { type RecordingOptions, usualWireId } from './recording.ts';
import { slotOf } from './world.ts';

export const MAX_CLIENTS = 64;
/** The slot and the id of the server's recorder. */
export const RECORDER_SLOT = 20;
const RECORDER_STEAM_ID = '90071996842377225';

/** A player who takes another's slot gets a new id. */
const ID_STEP = MAX_CLIENTS * 128;

/** A slot of the `userinfo` table that changed. */
export interface SeatChange {
  readonly slot: number;
  readonly value: Uint8Array | null;
}

/** The players of the slots, as in the `userinfo` table. */
export interface UserInfoTable {
  /** Returns each slot, empty ones too. */
  table(): readonly (Uint8Array | null)[];
  /** Takes the players of a frame, and returns the changed slots. */
  apply(frame: MatchFrame): readonly SeatChange[];
  /** Returns the id that events name a player by now. */
  wireId(userId: number): number;
}

export function createUserInfo(match: ScriptedMatch, options: RecordingOptions): UserInfoTable {
  const { wireId = usualWireId, recordedBy, repeatedEntries = [] } = options;
  const seats = new Map<number, number>();
  const ids = new Map<number, number>();
  const timesTaken = new Map<number, number>();
  const values: (Uint8Array | null)[] = new Array(MAX_CLIENTS).fill(null);
  if (recordedBy === undefined) values[RECORDER_SLOT] = recorderInfo(wireId(RECORDER_SLOT));
  for (const player of match.players) sit(player, player.userId);

  function sit(player: ScriptedPlayer, slot: number): SeatChange {
    seats.set(player.userId, slot);
    const times = timesTaken.get(slot) ?? 0;
    timesTaken.set(slot, times + 1);
    const id = wireId(slot) + times * ID_STEP;
    ids.set(player.userId, id);
    const value = playerInfo(player, id);
    values[slot] = value;
    return { slot, value };
  }

  return {
    table: () => values,

    apply({ tick, players }) {
      const left: SeatChange[] = [];
      const came: SeatChange[] = [];
      match.players.forEach((player, at) => {
        const state = players[at];
        const before = seats.get(player.userId);
        const slot = state === undefined ? null : slotOf(player, state);
        const current = before !== undefined && values[before] !== null ? before : null;
        if (slot === current) return;
        if (current !== null) {
          values[current] = null;
          left.push({ slot: current, value: null });
        }
        if (slot !== null) came.push(sit(player, slot));
      });
      const repeated = repeatedEntries.flatMap((one): SeatChange[] => {
        const slot = seats.get(one.userId);
        const player = match.players.find(({ userId }) => userId === one.userId);
        if (one.tick !== tick || slot === undefined || player === undefined) return [];
        return [{ slot, value: playerInfo(player, ids.get(one.userId) ?? slot) }];
      });
      return [...left, ...came, ...repeated];
    },

    wireId: (userId) => ids.get(userId) ?? userId,
  };
}

function playerInfo({ name, steamId, isBot = false }: ScriptedPlayer, userid: number): Uint8Array {
  const xuid = isBot ? '0' : steamId;
  return encodeMessage('CMsgPlayerInfo', { name, xuid, userid, steamid: steamId, fakeplayer: isBot, ishltv: false });
}

function recorderInfo(userid: number): Uint8Array {
  return encodeMessage('CMsgPlayerInfo', {
    name: 'DemoRecorder',
    xuid: '0',
    userid,
    steamid: RECORDER_STEAM_ID,
    fakeplayer: false,
    ishltv: true,
  });
}
