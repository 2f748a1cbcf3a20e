import { MOST_AREAS, MOST_CORNERS, REACH } from '../match/inspect-match.ts';
import type { MapOutline } from '../match/match.ts';

/** Reads little-endian values one after the other. Each read beyond the end throws an Error that names the place. */
export interface ByteReader {
  /** Bytes from the beginning. */
  at: number;
  u8(): number;
  u16(): number;
  u32(): number;
  f32(): number;
  /** Reads up to the next zero byte, which it skips. */
  text(most: number): string;
  skip(bytes: number): void;
  /** Reads a number of items. @throws an Error if there are more than `most`. */
  count(what: string, most: number): number;
}

export function createByteReader(bytes: Buffer): ByteReader {
  const take = (size: number): number => {
    const from = reader.at;
    if (size < 0 || from + size > bytes.length) throw new Error(`ends at byte ${bytes.length}, within its content`);
    reader.at = from + size;
    return from;
  };
  const reader: ByteReader = {
    at: 0,
    u8: () => bytes.readUInt8(take(1)),
    u16: () => bytes.readUInt16LE(take(2)),
    u32: () => bytes.readUInt32LE(take(4)),
    f32: () => bytes.readFloatLE(take(4)),
    text(most) {
      const end = bytes.indexOf(0, reader.at);
      if (end < 0 || end - reader.at > most) throw new Error(`has a name of more than ${most} bytes`);
      const from = take(end - reader.at + 1);
      return bytes.toString('utf8', from, end);
    },
    skip: (size) => void take(size),
    count(what, most) {
      const found = reader.u32();
      if (found > most) throw new Error(`has ${found} ${what}, more than ${most}`);
      return found;
    },
  };
  return reader;
}

/**
 * Reads the navigation mesh of a map of Source 2, versions 30 to 36, as far as its areas. The format is as
 * ValveResourceFormat (NavMesh, commit f503e9f, August 2026) and awpy (`nav.py`, versions 30 to 35) describe it.
 */

const MAGIC = 0xfeedface;
const VERSIONS = { first: 30, last: 36 };
/** Of a polygon that belongs to no movable part of the map. */
const NOT_MOVABLE = 0xffff_ffff;
/** Bytes of what follows the name of a movable part: 12 floats. */
const MOVABLE = 48;
/** The first hull that a mesh is made for is a player. */
const PLAYER = 0;
/** Limits of what is skipped. */
const MOST_CONNECTIONS = 4096;

export interface NavMesh {
  readonly version: number;
  readonly areas: MapOutline['areas'];
}

/** @throws an Error that says what is wrong with the file. */
export function readNav(bytes: Buffer): NavMesh {
  const reader = createByteReader(bytes);
  if (bytes.length < 16 || reader.u32() !== MAGIC) throw new Error('is no navigation mesh');
  const version = reader.u32();
  if (version < VERSIONS.first || version > VERSIONS.last) {
    throw new Error(`is a navigation mesh of version ${version}; ${VERSIONS.first} to ${VERSIONS.last} are known`);
  }
  // The version of the game's own data, and whether the mesh was analyzed.
  reader.skip(8);
  if (version >= 36) skipKeyValues(bytes, reader);
  const polygons = version >= 31 ? readPolygons(reader, version) : null;
  if (version >= 32) reader.skip(4);
  if (version >= 35) {
    for (let left = reader.count('movable parts', MOST_AREAS); left > 0; left--) {
      reader.text(MOST_CONNECTIONS);
      reader.skip(MOVABLE);
    }
  }
  if (version >= 36) skipKeyValues(bytes, reader);
  const areas = readAreas(reader, polygons);
  if (areas.length === 0) throw new Error('has no area for players');
  return { version, areas };
}

interface Polygon {
  readonly corners: readonly number[];
  /** Whether it belongs to a part of the map that moves; its place is not known. */
  readonly moves: boolean;
}

function readPolygons(reader: ByteReader, version: number): Polygon[] {
  const corners = Array.from({ length: reader.count('corners', MOST_CORNERS.ofMap) }, () => cornerOf(reader));
  return Array.from({ length: reader.count('polygons', MOST_AREAS * 4) }, () => {
    const polygon = Array.from({ length: reader.u8() }, () => {
      const index = reader.u32();
      const corner = corners[index];
      if (corner === undefined) throw new Error(`has a polygon with corner ${index} of ${corners.length}`);
      return corner;
    }).flat();
    return { corners: polygon, moves: version >= 35 && reader.u32() !== NOT_MOVABLE };
  });
}

function cornerOf(reader: ByteReader): readonly number[] {
  const corner = [reader.f32(), reader.f32(), reader.f32()];
  if (!corner.every((value) => Math.abs(value) <= REACH)) throw new Error(`has a corner at ${corner.join(', ')}`);
  return corner.map((value) => Math.round(value) + 0);
}

function readAreas(reader: ByteReader, polygons: readonly Polygon[] | null): MapOutline['areas'] {
  const areas: (readonly number[])[] = [];
  const ids = new Set<number>();
  for (let left = reader.count('areas', MOST_AREAS * 4); left > 0; left--) {
    const id = reader.u32();
    if (ids.has(id)) throw new Error(`has area ${id} twice`);
    ids.add(id);
    reader.skip(8);
    const hull = reader.u8();
    const index = polygons && reader.u32();
    const polygon = index === null ? readPolygon(reader) : polygons?.[index];
    if (polygon === undefined) throw new Error(`has an area with polygon ${index} of ${polygons?.length}`);
    const { corners, moves } = polygon;
    reader.skip(4);
    const sides = corners.length / 3;
    for (let side = 0; side < sides; side++) reader.skip(8 * reader.count('connections', MOST_CONNECTIONS));
    // Two lists of former versions, which are empty.
    if (reader.u8() !== 0 || reader.u32() !== 0) throw new Error(`has an area ${id} that is not as documented`);
    for (const where of ['above', 'below']) reader.skip(4 * reader.count(`ladders ${where}`, MOST_CONNECTIONS));
    if (hull === PLAYER && !moves && sides >= 3 && sides <= MOST_CORNERS.ofArea) areas.push(corners);
  }
  if (areas.length > MOST_AREAS) throw new Error(`has ${areas.length} areas for players, more than ${MOST_AREAS}`);
  return areas;
}

function readPolygon(reader: ByteReader): Polygon {
  const length = reader.count('corners of an area', MOST_CORNERS.ofArea);
  return { corners: Array.from({ length }, () => cornerOf(reader)).flat(), moves: false };
}

/** KeyValues3 in its binary form: the bytes of its header by version, and where in it sizes are. */
const KEY_VALUES = {
  signature: 0x4b563300,
  headers: new Map([
    [4, 72],
    [5, 120],
  ]),
};

/** Skips a block of KeyValues3, which begins at a multiple of 8 bytes. */
function skipKeyValues(bytes: Buffer, reader: ByteReader): void {
  const from = Math.ceil(reader.at / 8) * 8;
  reader.at = from;
  const signature = reader.u32();
  const version = signature & 0xff;
  const header = KEY_VALUES.headers.get(version);
  if ((signature & ~0xff) >>> 0 !== KEY_VALUES.signature || header === undefined) {
    throw new Error(`has a block at byte ${from} that is no KeyValues3 of version 4 or 5`);
  }
  reader.skip(header - 4);
  const field = (at: number): number => bytes.readUInt32LE(from + at);
  if (field(56) !== 0) throw new Error(`has a block at byte ${from} with binary values, which are not known`);
  const isCompressed = field(20) !== 0;
  reader.skip(field(isCompressed ? 52 : 48));
}
