import type { TickSpan } from '#domain/clip/plan/match.ts';
import { type SceneMatch, type SceneTracks, TRACK_PRESENT } from '#scene/match/match.ts';
import { type PackedBlock, packBlock, unpackBlock } from './block.ts';
import { type Reader, TracksError, Writer } from './bytes.ts';
import { type Precision, readLine, writeLine } from './polyline.ts';

/** How far a stored sample may be from the recorded one, in game units and degrees. All else is exact. */
export const PRECISION = {
  position: { step: 1 / 16, tolerance: 0.25, most: 2 ** 17 },
  /** Turns are counted on: a player may turn around often. */
  angle: { step: 0.05, tolerance: 0.25, most: 2 ** 20 },
} as const satisfies Record<string, Precision>;

const LINES = [
  ['x', PRECISION.position],
  ['y', PRECISION.position],
  ['z', PRECISION.position],
  ['yaw', PRECISION.angle],
] as const;

/** Seconds for which an effect is drawn after its end. */
const FADE_SECONDS = 2;

/** What happens in the ticks of a chunk, and what has begun before them and is not over. */
export interface ChunkLists
  extends Pick<SceneMatch, 'hurts' | 'weaponFires' | 'blindings' | 'sights'>,
    Pick<SceneMatch, 'outfits' | 'flights' | 'bombPlaces' | 'effects'> {}

export interface Chunk extends ChunkLists {
  readonly tracks: SceneTracks;
}

/** Packs what happens from `startTick` up to, not including, `endTick`. */
export function packChunk(
  match: Pick<SceneMatch, 'tickRate' | 'players' | 'tracks'> & ChunkLists,
  { startTick, endTick }: TickSpan,
): Promise<PackedBlock> {
  const to = new Writer();
  const { tracks } = match;
  const count = endTick - startTick;
  for (const player of match.players.keys()) {
    const row = player * tracks.length + startTick - tracks.firstTick;
    const flags = tracks.flags.subarray(row, row + count);
    writeRuns(to, flags);
    writeRuns(to, tracks.health.subarray(row, row + count));
    for (const [from, until] of presence(flags)) {
      for (const [column, precision] of LINES) {
        const values = tracks[column].subarray(row + from, row + until);
        writeLine(to, column === 'yaw' ? unwound(values) : values, precision);
      }
    }
  }
  return packBlock(listsIn(match, startTick, endTick), to);
}

/** @throws TracksError if the bytes are no chunk of these ticks. */
export function unpackChunk(
  packed: Uint8Array<ArrayBuffer>,
  { startTick, endTick, rawBytes }: TickSpan & { readonly rawBytes: number },
  players: number,
): Promise<Chunk> {
  return unpackBlock(packed, rawBytes, (json, from) => {
    const count = endTick - startTick;
    const tracks = emptyTracks(startTick, count, players);
    for (let row = 0; row < players * count; row += count) {
      const flags = tracks.flags.subarray(row, row + count);
      readRuns(from, flags);
      readRuns(from, tracks.health.subarray(row, row + count));
      for (const [start, until] of presence(flags)) {
        for (const [column, precision] of LINES) {
          const values = tracks[column].subarray(row + start, row + until);
          readLine(from, values, precision);
          if (column === 'yaw') values.set(values.map((yaw) => yaw - 360 * Math.round(yaw / 360)));
        }
      }
    }
    return { ...joinLists([{ ...(json as ChunkLists), tracks }]), tracks };
  });
}

export function emptyTracks(firstTick: number, length: number, players: number): SceneTracks {
  const floats = () => new Float32Array(length * players);
  const bytes = () => new Uint8Array(length * players);
  return {
    firstTick,
    length,
    x: floats(),
    y: floats(),
    z: floats(),
    yaw: floats(),
    health: bytes(),
    flags: bytes(),
  };
}

const BEGUN: { readonly [K in keyof ChunkLists]: (item: ChunkLists[K][number]) => number } = {
  hurts: tickOf,
  weaponFires: tickOf,
  blindings: tickOf,
  outfits: tickOf,
  bombPlaces: tickOf,
  sights: startOf,
  effects: startOf,
  flights: ({ path }) => path[0]?.tick ?? 0,
};

function tickOf({ tick }: { readonly tick: number }): number {
  return tick;
}

function startOf({ startTick }: TickSpan): number {
  return startTick;
}

/** Joins the lists of chunks in the order of time. What has begun before a chunk is in the one before it, too. */
export function joinLists(chunks: readonly Chunk[]): ChunkLists {
  const joined = Object.entries(BEGUN).map(([name, begun]) => {
    const items = chunks.flatMap((chunk, i) => {
      const before = chunks[i - 1]?.tracks;
      const since = before ? before.firstTick + before.length : Number.NEGATIVE_INFINITY;
      const list: readonly never[] = chunk[name as keyof ChunkLists] as readonly never[];
      return list.filter((item) => begun(item) >= since);
    });
    return [name, items];
  });
  return Object.fromEntries(joined);
}

/** Returns what is in a span of ticks. Of outfits and places of the bomb, the last ones before it belong to it. */
function listsIn(match: Parameters<typeof packChunk>[0], startTick: number, endTick: number): ChunkLists {
  const during = <T>(list: readonly T[], begun: (item: T) => number, over = begun): readonly T[] =>
    list.filter((item) => begun(item) < endTick && Math.max(over(item), begun(item) + 1) > startTick);
  const states = <T extends { readonly tick: number }>(list: readonly T[], of: (item: T) => unknown): readonly T[] => {
    const last = new Map(list.flatMap((item) => (item.tick < startTick ? [[of(item), item]] : [])));
    return list.filter((item) => item.tick < endTick && (item.tick >= startTick || last.get(of(item)) === item));
  };
  return {
    hurts: during(match.hurts, BEGUN.hurts),
    weaponFires: during(match.weaponFires, BEGUN.weaponFires),
    blindings: during(match.blindings, BEGUN.blindings, ({ tick, seconds }) => tick + seconds * match.tickRate),
    sights: during(match.sights, BEGUN.sights, ({ endTick: until }) => until),
    outfits: states(match.outfits, ({ player }) => player),
    flights: during(match.flights, BEGUN.flights, ({ path }) => path.at(-1)?.tick ?? 0),
    bombPlaces: states(match.bombPlaces, () => 'the bomb'),
    effects: during(match.effects, BEGUN.effects, ({ endTick: until }) => until + FADE_SECONDS * match.tickRate),
  };
}

/** Returns the ranges of samples in which a player is in the match. */
function presence(flags: Uint8Array): readonly (readonly [from: number, until: number])[] {
  const ranges: [number, number][] = [];
  for (const [i, bits] of flags.entries()) {
    if ((bits & TRACK_PRESENT) === 0) continue;
    const last = ranges.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else ranges.push([i, i + 1]);
  }
  return ranges;
}

/** Returns angles that go on past 180 degrees, so that a turn is a line. */
function unwound(angles: Float32Array): Float64Array {
  const turned = Float64Array.from(angles);
  for (let i = 1; i < turned.length; i++) {
    const before = turned[i - 1] ?? 0;
    const turn = (turned[i] ?? 0) - before;
    turned[i] = before + turn - 360 * Math.round(turn / 360);
  }
  return turned;
}

/** Writes bytes as runs of equal ones. */
function writeRuns(to: Writer, values: Uint8Array): void {
  for (let at = 0, next = 0; at < values.length; at = next) {
    const value = values[at] ?? 0;
    while (next < values.length && values[next] === value) next++;
    to.uint(next - at);
    to.byte(value);
  }
}

function readRuns(from: Reader, values: Uint8Array): void {
  for (let at = 0; at < values.length; ) {
    const length = from.uint(values.length - at);
    if (length === 0) throw new TracksError('a run is empty');
    values.fill(from.byte(), at, at + length);
    at += length;
  }
}
