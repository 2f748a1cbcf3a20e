import { crc32 } from 'node:zlib';

/**
 * Writes navigation meshes and archives as the game has them: fields in the order of ValveResourceFormat's reader
 * (August 2026) and ValvePak's, whose own test files the reader is held against.
 */

type Corner = readonly [x: number, y: number, z: number];

export interface WrittenArea {
  readonly corners: readonly Corner[];
  /** 0 is a player. */
  readonly hull?: number;
  /** Belongs to a movable part. */
  readonly moves?: boolean;
  readonly ladders?: number;
}

const u8 = (value: number): Buffer => Buffer.of(value);
const u32 = (...values: number[]): Buffer =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value);
      return bytes;
    }),
  );
const f32 = (...values: number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);

/** Returns a navigation mesh. `version` is 30 to 36. */
export function writeNav(areas: readonly WrittenArea[], version = 35): Buffer {
  const parts = [u32(0xfeedface, version, 1, 1)];
  const size = (): number => parts.reduce((sum, { length }) => sum + length, 0);
  const addKeyValues = (): void => {
    parts.push(Buffer.alloc((8 - (size() % 8)) % 8), keyValues(version === 36 ? 5 : 4));
  };
  if (version >= 36) addKeyValues();
  if (version >= 31) {
    const corners = areas.flatMap((area) => area.corners);
    parts.push(u32(corners.length), ...corners.map((corner) => f32(...corner)), u32(areas.length));
    let first = 0;
    for (const { corners: own, moves = false } of areas) {
      parts.push(u8(own.length), u32(...own.map((_, i) => first + i)));
      if (version >= 35) parts.push(u32(moves ? 0 : 0xffff_ffff));
      first += own.length;
    }
  }
  if (version >= 32) parts.push(u32(0));
  if (version >= 35) {
    const moving = areas.some(({ moves }) => moves);
    parts.push(u32(moving ? 1 : 0));
    if (moving) parts.push(Buffer.from('lift\0'), Buffer.alloc(48));
  }
  if (version >= 36) addKeyValues();
  parts.push(u32(areas.length));
  for (const [i, { corners, hull = 0, ladders = 0 }] of areas.entries()) {
    parts.push(u32(i + 1), Buffer.alloc(8), u8(hull));
    parts.push(version >= 31 ? u32(i) : Buffer.concat([u32(corners.length), ...corners.map((one) => f32(...one))]));
    // Each side leads to the next area.
    parts.push(f32(0), ...corners.map(() => u32(1, ((i + 1) % areas.length) + 1, 0)));
    parts.push(u8(0), u32(0), u32(ladders), Buffer.alloc(4 * ladders), u32(0));
  }
  // Ladders, bounds, and how it was generated.
  parts.push(u32(0, 0, 12));
  return Buffer.concat(parts);
}

/** A compressed block of KeyValues3 of version 4 or 5 with 21 bytes, which nobody decompresses. */
function keyValues(version: 4 | 5): Buffer {
  const header = Buffer.alloc(version === 4 ? 72 : 120);
  header.writeUInt32LE(0x4b563300 + version, 0);
  header.writeUInt32LE(1, 20);
  header.writeUInt32LE(64, 48);
  header.writeUInt32LE(21, 52);
  return Buffer.concat([header, Buffer.alloc(21, 0xa5)]);
}

/** Returns the area of a rectangle. */
export function rectangle(west: number, south: number, east: number, north: number, z: number): WrittenArea {
  return {
    corners: [
      [west, south, z],
      [east, south, z],
      [east, north, z],
      [west, north, z],
    ],
  };
}

export interface WrittenFile {
  readonly path: string;
  readonly content: Buffer;
  /** Bytes of it that are in the directory. */
  readonly preload?: number;
  readonly checksum?: number;
}

/** Returns an archive; `parts`: its content is in an archive of its own, `<name>_000.vpk`, which is returned too. */
export function writeVpk(
  files: readonly WrittenFile[],
  { version = 2, parts = false }: { readonly version?: number; readonly parts?: boolean } = {},
): { readonly archive: Buffer; readonly part: Buffer } {
  const tree: Buffer[] = [];
  const content: Buffer[] = [];
  let at = 0;
  for (const { path, content: bytes, preload = 0, checksum = crc32(bytes) } of files) {
    const slash = path.lastIndexOf('/');
    const dot = path.lastIndexOf('.');
    const entry = Buffer.alloc(18);
    entry.writeUInt32LE(checksum >>> 0, 0);
    entry.writeUInt16LE(preload, 4);
    entry.writeUInt16LE(parts ? 0 : 0x7fff, 6);
    entry.writeUInt32LE(at, 8);
    entry.writeUInt32LE(bytes.length - preload, 12);
    entry.writeUInt16LE(0xffff, 16);
    const [folder, name, type] = [path.slice(0, slash), path.slice(slash + 1, dot), path.slice(dot + 1)];
    // A list of one file in one folder of one type: the format allows to repeat them.
    tree.push(Buffer.from(`${type}\0${folder}\0${name}\0`), entry, bytes.subarray(0, preload), Buffer.from('\0\0'));
    content.push(bytes.subarray(preload));
    at += bytes.length - preload;
  }
  const directory = Buffer.concat([...tree, Buffer.from('\0')]);
  const inside = parts ? Buffer.alloc(0) : Buffer.concat(content);
  const header =
    version === 1
      ? u32(0x55aa1234, 1, directory.length)
      : u32(0x55aa1234, version, directory.length, inside.length, 0, 0, 0);
  return { archive: Buffer.concat([header, directory, inside]), part: Buffer.concat(content) };
}
