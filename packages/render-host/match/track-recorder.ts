import type { FieldList } from '../source2/field-decoder.ts';
import { RejectedDemo } from './demo-view.ts';
import {
  type PlayerIndex,
  type Position,
  type Sight,
  type Team,
  TRACK_ALIVE,
  TRACK_DUCKING,
  TRACK_PRESENT,
  TRACK_TEAM_CT,
  TRACK_TEAM_T,
  type Tracks,
} from './match.ts';
import { columnsOf, SAMPLE_BYTES, TRACK_COLUMNS } from './match-file.ts';

/** One player at one tick. Units as in `Tracks`. */
export interface PlayerSample extends Position {
  readonly yaw: number;
  readonly pitch: number;
  readonly health: number;
  readonly alive: boolean;
  readonly ducking: boolean;
  readonly team: Team;
}

export interface TrackRecorder {
  /** Advances to a tick. Skipped ticks repeat the last samples. An earlier tick is ignored. */
  advanceTo(tick: number): void;
  /** Sets a player's sample of the current tick. */
  put(player: PlayerIndex, sample: PlayerSample): void;
  /** Repeats the last samples up to the last tick, and returns the arrays for `players` players. */
  finish(players: number): Tracks;
}

const INITIAL_PLAYERS = 12;
/** A server has 64 at a time. */
export const MOST_PLAYERS = 256;

/**
 * 22 bytes each: half a gigabyte, ten players for ten hours. A demo with more is refused before memory is allocated,
 * because a few bytes can claim any tick.
 */
const MAX_SAMPLES = 24_000_000;

/** Collects samples into the columns of `Tracks`, player after player. Grows with the players. */
export function createTrackRecorder(firstTick: number, lastTick: number): TrackRecorder {
  const length = lastTick - firstTick + 1;
  let capacity = INITIAL_PLAYERS;
  let columns = allocate(capacity, length);
  let current = -1;

  function fillTo(index: number): void {
    for (let player = 0; player < capacity; player += 1) {
      const row = player * length;
      for (const column of Object.values(columns)) {
        if (current >= 0) column.fill(column[row + current] ?? 0, row + current + 1, row + index + 1);
      }
    }
  }

  function grow(players: number): void {
    const larger = allocate(Math.max(players, capacity * 2), length);
    for (const name of TRACK_COLUMNS) larger[name].set(columns[name]);
    columns = larger;
    capacity = larger.x.length / length;
  }

  return {
    advanceTo(tick) {
      const index = Math.min(tick - firstTick, length - 1);
      if (index <= current) return;
      if (index > current + 1) fillTo(index - 1);
      current = index;
    },

    put(player, sample) {
      if (current < 0) return;
      if (player >= MOST_PLAYERS) {
        throw new RejectedDemo('demo_failed_parse', `more than the ${MOST_PLAYERS} players of the largest match`);
      }
      if (player >= capacity) grow(player + 1);
      const at = player * length + current;
      columns.x[at] = sample.x;
      columns.y[at] = sample.y;
      columns.z[at] = sample.z;
      columns.yaw[at] = sample.yaw;
      columns.pitch[at] = sample.pitch;
      columns.health[at] = Math.max(0, Math.min(100, sample.health));
      columns.flags[at] =
        TRACK_PRESENT |
        (sample.team === 'T' ? TRACK_TEAM_T : TRACK_TEAM_CT) |
        (sample.alive ? TRACK_ALIVE : 0) |
        (sample.ducking ? TRACK_DUCKING : 0);
    },

    finish(players) {
      if (players > capacity) grow(players);
      fillTo(length - 1);
      return tracksOf({ firstTick, length, ...columns }, [...Array(players).keys()]);
    },
  };
}

/** Returns the tracks of some players in that order, which must be ascending. The given tracks are no longer valid. */
export function tracksOf(tracks: Tracks, players: readonly PlayerIndex[]): Tracks {
  const { length } = tracks;
  const columns = TRACK_COLUMNS.map((name) => {
    const column = tracks[name];
    for (const [to, from] of players.entries()) {
      if (to !== from) column.copyWithin(to * length, from * length, (from + 1) * length);
    }
    return [name, column.subarray(0, players.length * length)];
  });
  return { ...tracks, ...Object.fromEntries(columns) };
}

function allocate(players: number, length: number) {
  const samples = players * length;
  if (samples > MAX_SAMPLES) {
    throw new RejectedDemo('demo_failed_parse', `${players} players over ${length} ticks are more than a match has`);
  }
  return columnsOf(new ArrayBuffer(samples * SAMPLE_BYTES), samples);
}

/** A long match has ten thousand. More of a crafted recording are ignored: clips do not need them. */
const MOST_SIGHTS = 100_000;
const WORD_BITS = 32;

export interface SightRecorder {
  /** `seers`: who sees a player from this tick on, in the form of `sampleSeers`; null for nobody. */
  put(tick: number, player: PlayerIndex, seers: FieldList | null, playerAt: SlotHolder): void;
  finish(lastTick: number): readonly Sight[];
}

type SlotHolder = (slot: number) => PlayerIndex | null;

interface OpenSight extends Sight {
  endTick: number;
}

/** Collects who sees whom, and how long. */
export function createSightRecorder(): SightRecorder {
  const sights: OpenSight[] = [];
  const last = new Map<PlayerIndex, FieldList | null>();
  const open = new Map<PlayerIndex, Map<number, OpenSight>>();
  return {
    put(tick, player, seers, playerAt) {
      if ((last.get(player) ?? null) === seers) return;
      last.set(player, seers);
      const now = open.get(player) ?? new Map<number, OpenSight>();
      open.set(player, now);
      for (const [slot, sight] of now) {
        if (isSet(seers, slot)) continue;
        sight.endTick = tick;
        now.delete(slot);
      }
      for (let slot = 0; slot < (seers?.length ?? 0) * WORD_BITS; slot++) {
        if (!isSet(seers, slot) || now.has(slot)) continue;
        const by = playerAt(slot);
        if (by === null || by === player || sights.length >= MOST_SIGHTS) continue;
        const sight = { player, by, startTick: tick, endTick: Infinity };
        sights.push(sight);
        now.set(slot, sight);
      }
    },
    finish: (lastTick) => sights.map((sight) => ({ ...sight, endTick: Math.min(sight.endTick, lastTick) })),
  };
}

function isSet(words: FieldList | null, slot: number): boolean {
  const word = words?.[Math.floor(slot / WORD_BITS)];
  return typeof word === 'number' && ((word >>> (slot % WORD_BITS)) & 1) === 1;
}
