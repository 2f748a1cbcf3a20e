import type { TickSpan } from '#domain/clip/plan/match.ts';
import { createCallouts } from '#scene/map/plates.ts';
import type { Kill, SceneMatch, ScenePlayer } from '#scene/match/match.ts';
import type { Shot } from '#scene/plan/shot.ts';
import { type Block, type PackedBlock, packBlock, unpackBlock } from './block.ts';
import { TracksError, Writer } from './bytes.ts';
import { type Chunk, emptyTracks, joinLists, packChunk, unpackChunk } from './chunk.ts';

/**
 * A file of tracks has what a scene needs of a match, for pages: a preamble, a head about the whole match, and chunks
 * of some seconds in the order of time. A page loads the head, then any range of chunks by one request. The file has no
 * Steam ids and no chat. docs/decisions/068-one-scene.md has the reasons.
 *
 * The preamble: `TRKS`, a byte with the version, and two 32-bit lengths, of the head in the file and of its content.
 */
const MAGIC = 0x5452_4b53;
const VERSION = 1;
const PREAMBLE_BYTES = 13;
/** Most heads are shorter, so that one request reads them. A page loads no more before its first picture. */
const FIRST_BYTES = 24 * 1024;
const CHUNK_SECONDS = 8;
/** The most of each part of a file. No recording has as much. */
const MOST = { blockBytes: 4 * 1024 * 1024, players: 256, chunkTicks: 8192, cells: 200_000, reach: 16_384 };
/** The most that is decoded at a time: bytes, and samples of 18 bytes, as of ten players for an hour and a half. */
const MOST_DECODED = { bytes: 64 * 1024 * 1024, samples: 4_000_000 };

/** A shot of a clip, as `PlannedShot`. `kills`: the ticks of the subject's kills in it. */
export interface ShownShot extends TickSpan {
  readonly pov: number;
  readonly subject: number;
  readonly round: number | null;
  readonly kills: readonly number[];
  readonly speeds: readonly { readonly tick: number; readonly speed: number }[];
}

/** All that is small, for the whole match: pages can show its rounds and kills at once. */
interface ShownMatch
  extends Pick<
    SceneMatch,
    'map' | 'tickRate' | 'firstTick' | 'outline' | 'callouts' | 'rounds' | 'clocks' | 'kills' | 'bombActions'
  > {
  readonly players: readonly ScenePlayer[];
  readonly lastTick: number;
  /** The shots of a clip, in its order; empty for a demo. */
  readonly shots: readonly ShownShot[];
  /** Seconds of the cards before the first shot of a clip. */
  readonly leadSeconds: number;
}

/** The ticks of a chunk, and its sizes. Chunks follow the head in the order of time. A clip has those of its shots. */
export type ChunkPlace = TickSpan & Block;

/** Reads bytes of a file, fewer at its end. */
export type ReadRange = (start: number, length: number) => Promise<Uint8Array<ArrayBuffer>>;

/** An opened file. */
export interface TracksFile extends ShownMatch {
  readonly chunks: readonly ChunkPlace[];
  /** Where players walked in the whole match, ascending. */
  readonly walked: Uint32Array;
  /** Where the first chunk begins. */
  readonly headBytes: number;
  readonly read: ReadRange;
}

/** Writes the tracks of a match. `walked`: its `walkedCells`. */
export async function writeTracks(match: SceneMatch, walked: Iterable<number>): Promise<Uint8Array<ArrayBuffer>> {
  const step = Math.min(MOST.chunkTicks, Math.round(CHUNK_SECONDS * match.tickRate));
  const chunks: (ChunkPlace & PackedBlock)[] = [];
  const { firstTick, length } = match.tracks;
  for (let startTick = firstTick; startTick < firstTick + length; startTick += step) {
    const span = { startTick, endTick: Math.min(startTick + step, firstTick + length) };
    chunks.push({ ...span, ...(await packChunk(match, span)) });
  }
  const shown = {
    ...match,
    callouts: createCallouts(match),
    lastTick: firstTick + length - 1,
    shots: [],
    leadSeconds: 0,
  };
  return join(shown, Uint32Array.from(walked).sort(), chunks);
}

/**
 * Returns a file with only the ticks of some shots. Of their rounds it has the kills and the bomb's events so far,
 * which a scene shows, and of players only the names of those who are there.
 */
export async function cutTracks(
  file: TracksFile,
  shots: readonly ShownShot[],
  leadSeconds: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const spans = merged(shots);
  const chunks: (ChunkPlace & PackedBlock)[] = [];
  const seen = new Set<number>();
  for (const place of file.chunks) {
    const parts = spans.flatMap((span) => {
      const startTick = Math.max(span.startTick, place.startTick);
      const endTick = Math.min(span.endTick, place.endTick);
      return startTick < endTick ? { startTick, endTick } : [];
    });
    if (parts.length === 0) continue;
    const match = matchOf(file, await loadChunks(file, place));
    for (const [i, flags] of match.tracks.flags.entries()) {
      if (flags > 0) seen.add(Math.floor(i / match.tracks.length));
    }
    for (const part of parts) chunks.push({ ...part, ...(await packChunk(match, part)) });
  }
  const [first, last] = [chunks[0], chunks.at(-1)];
  if (!first || !last) throw new TracksError('it has none of these ticks');
  const { rounds } = file;
  const soFar = spans.map(({ startTick, endTick }) => {
    return { startTick: rounds.findLast((one) => one.startTick <= startTick)?.startTick ?? startTick, endTick };
  });
  const isShown = ({ tick }: { readonly tick: number }) =>
    soFar.some((span) => span.startTick <= tick && tick < span.endTick);
  const shown = {
    ...file,
    players: file.players.map((player, i) => (seen.has(i) ? player : { name: '', isBot: player.isBot })),
    firstTick: first.startTick,
    lastTick: last.endTick - 1,
    shots,
    leadSeconds,
    rounds: rounds.filter(({ startTick }, i) =>
      soFar.some((span) => startTick < span.endTick && (rounds[i + 1]?.startTick ?? Infinity) > span.startTick),
    ),
    clocks: file.clocks.filter(isShown),
    kills: file.kills.filter(isShown),
    bombActions: file.bombActions.filter(isShown),
  };
  return join(shown, file.walked, chunks);
}

/** Whether the head of a file can be read, and its chunks fill the rest of `size` bytes. */
export async function isWholeTracks(
  read: (start: number, length: number) => Promise<Uint8Array>,
  size: number,
): Promise<boolean> {
  try {
    const { headBytes, chunks } = await openTracks(async (start, length) => new Uint8Array(await read(start, length)));
    return chunks.reduce((sum, { bytes }) => sum + bytes, headBytes) === size;
  } catch (error) {
    if (error instanceof TracksError) return false;
    throw error;
  }
}

/** Opens a file and reads its head. @throws TracksError if it is damaged, or no file of tracks. */
export async function openTracks(read: ReadRange): Promise<TracksFile> {
  const first = await read(0, FIRST_BYTES);
  const preamble = new DataView(first.buffer, first.byteOffset, first.byteLength);
  if (first.length < PREAMBLE_BYTES || preamble.getUint32(0) !== MAGIC || preamble.getUint8(4) !== VERSION) {
    throw new TracksError('it is no file of tracks, or of another version');
  }
  const [bytes, rawBytes] = [preamble.getUint32(5), preamble.getUint32(9)];
  if (Math.max(bytes, rawBytes) > MOST.blockBytes) throw new TracksError('its head is too long');
  const headBytes = PREAMBLE_BYTES + bytes;
  const whole = headBytes > first.length ? await read(0, headBytes) : first;
  return unpackBlock(whole.slice(PREAMBLE_BYTES, headBytes), rawBytes, (json, numbers) => {
    const head = json as ShownMatch & Pick<TracksFile, 'chunks'>;
    let cell = 0;
    const next = (): number => (cell += numbers.uint(2 ** 32 - 1 - cell));
    const walked = Uint32Array.from({ length: numbers.uint(Math.min(MOST.cells, numbers.left)) }, next);
    requireSound(head);
    return { ...head, walked, headBytes, read };
  });
}

/** Loads the chunks that have ticks of a span, by one request. @throws TracksError if they are damaged. */
export async function loadChunks(file: TracksFile, { startTick, endTick }: TickSpan): Promise<Chunk[]> {
  let start = file.headBytes;
  const wanted: (ChunkPlace & { readonly start: number })[] = [];
  for (const place of file.chunks) {
    if (place.startTick < endTick && place.endTick > startTick) wanted.push({ ...place, start });
    start += place.bytes;
  }
  const [first] = wanted;
  if (first === undefined) return [];
  const sum = (of: (place: ChunkPlace) => number) => wanted.reduce((all, place) => all + of(place), 0);
  const samples = sum((place) => place.endTick - place.startTick) * file.players.length;
  if (samples > MOST_DECODED.samples || sum(({ rawBytes }) => rawBytes) > MOST_DECODED.bytes) throw tooMany();
  const bytes = await file.read(
    first.start,
    sum((place) => place.bytes),
  );
  return Promise.all(
    wanted.map(async (place) => {
      const packed = bytes.slice(place.start - first.start, place.start - first.start + place.bytes);
      return unpackChunk(packed, place, file.players.length);
    }),
  );
}

/** Returns the match that a scene draws, as far as chunks of the file have it. They are in the order of time. */
export function matchOf(file: TracksFile, chunks: readonly Chunk[]): SceneMatch {
  const firstTick = chunks[0]?.tracks.firstTick ?? file.firstTick;
  const last = chunks.at(-1)?.tracks;
  const length = last ? last.firstTick + last.length - firstTick : 0;
  if (length * file.players.length > MOST_DECODED.samples) throw tooMany();
  const tracks = emptyTracks(firstTick, length, file.players.length);
  for (const { tracks: part } of chunks) {
    for (let player = 0; player < file.players.length; player++) {
      const [row, at] = [player * part.length, player * length + part.firstTick - firstTick];
      for (const column of COLUMNS) tracks[column].set(part[column].subarray(row, row + part.length), at);
    }
  }
  return { ...file, ...joinLists(chunks), tracks };
}

/** Returns the shots of a clip as a scene takes them. */
export function shotsOf({ shots, kills }: Pick<TracksFile, 'shots' | 'kills'>): Shot[] {
  return shots.map((shot) => {
    const isOfShot = ({ tick, attacker }: Kill) => attacker === shot.subject && shot.kills.includes(tick);
    return { ...shot, kills: kills.filter(isOfShot) };
  });
}

const tooMany = () => new TracksError('these ticks are too many at a time');

const COLUMNS = ['x', 'y', 'z', 'yaw', 'health', 'flags'] as const;

/** @throws TracksError unless a scene can draw the match, and a page list it, in a time that its size bounds. */
function requireSound(head: ShownMatch & Pick<TracksFile, 'chunks'>): void {
  const { players, tickRate, firstTick, lastTick, chunks, outline, shots, leadSeconds } = head;
  const isWithin = (value: number, least: number, most: number) => value >= least && value <= most;
  const isCount = (value: number, most: number) => Number.isInteger(value) && isWithin(value, 1, most);
  const end = chunks.reduce((before, { startTick, endTick, bytes, rawBytes }) => {
    const isSound = isCount(bytes, MOST.blockBytes) && isCount(rawBytes, MOST.blockBytes);
    return isSound && startTick >= before && isCount(endTick - startTick, MOST.chunkTicks) ? endTick : Number.NaN;
  }, firstTick);
  const corners = outline?.areas.flat() ?? [];
  const speeds = shots.flatMap(({ speeds: changes }) => changes.map(({ speed }) => speed));
  const isSound =
    players.length <= MOST.players &&
    players.every(({ name }) => typeof name === 'string') &&
    [head.callouts, head.rounds, head.clocks, head.kills, head.bombActions].every(Array.isArray) &&
    isWithin(tickRate, 1, 1024) &&
    ![...head.rounds, ...head.clocks, ...head.kills, ...head.bombActions].includes(null as never) &&
    Number.isInteger(firstTick) &&
    end === lastTick + 1 &&
    corners.every((corner) => isWithin(corner, -MOST.reach, MOST.reach)) &&
    speeds.every((speed) => isWithin(speed, 0.01, 100)) &&
    isWithin(leadSeconds, 0, 600);
  if (!isSound) throw new TracksError('its head has impossible values');
}

async function join(
  { map, tickRate, firstTick, lastTick, outline, callouts, rounds, clocks, kills, bombActions, ...match }: ShownMatch,
  walked: Uint32Array,
  chunks: readonly (ChunkPlace & PackedBlock)[],
): Promise<Uint8Array<ArrayBuffer>> {
  const { shots, leadSeconds } = match;
  const players = match.players.map(({ name, isBot, crosshair }) => ({ name, isBot, crosshair }));
  const places = chunks.map(({ packed: _, ...place }) => place);
  const numbers = new Writer();
  numbers.uint(walked.length);
  for (const [i, cell] of walked.entries()) numbers.uint(cell - (walked[i - 1] ?? 0));
  const shown = { map, tickRate, firstTick, lastTick, outline, callouts, rounds, clocks, kills, bombActions };
  const head = await packBlock({ ...shown, players, shots, leadSeconds, chunks: places }, numbers);
  const preamble = new Uint8Array(PREAMBLE_BYTES);
  const view = new DataView(preamble.buffer);
  view.setUint32(0, MAGIC);
  view.setUint8(4, VERSION);
  view.setUint32(5, head.bytes);
  view.setUint32(9, head.rawBytes);
  return new Uint8Array(await new Blob([preamble, head.packed, ...chunks.map(({ packed }) => packed)]).arrayBuffer());
}

/** Returns the ticks of spans, in order, each once. */
function merged(spans: readonly TickSpan[]): TickSpan[] {
  const all: { startTick: number; endTick: number }[] = [];
  for (const { startTick, endTick } of spans.toSorted((a, b) => a.startTick - b.startTick)) {
    const last = all.at(-1);
    if (last && startTick <= last.endTick) last.endTick = Math.max(last.endTick, endTick);
    else all.push({ startTick, endTick });
  }
  return all;
}
