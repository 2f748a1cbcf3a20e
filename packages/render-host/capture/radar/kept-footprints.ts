import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Match } from '../../match/match.ts';
import { type Cell, walkedCells } from './map/walked-cells.ts';

/** Where players walked on each map, by what the demos of all jobs have shown. */
export interface KeptFootprints {
  /**
   * Adds where the players of a match walked, and answers with the cells of its map that demos of two accounts walked.
   * `account`: a word for the account whose demo it is, as the gateway gives it; without one nothing is added. Never
   * rejects: a disk in trouble costs the floor of others alone.
   */
  learn(match: Match, account: string | null): Promise<Uint32Array>;
}

export const NOTHING_KEPT = new Uint32Array(0);

/** A file of another version is no file: what it knew is learnt again. */
const MAGIC = 0x7466_7031;
const VERSION = 1;
const HEADER = 3;
/** A map that is walked all over has some 80,000; each takes 8 bytes. */
const MOST_CELLS = 200_000;
/** A build of the game lives some weeks, and some ten maps are played. */
const MOST_MAPS = 32;
/** In the place of a walker, once there were two. */
const EVERYBODY = 0;

/** The cells of a map, each with the account that walked it, or `EVERYBODY`. */
type Walked = Map<Cell, number>;

/**
 * Keeps footprints in a folder, a file for each map and build: what one account's demo shows is drawn on other clips
 * only where a demo of another account agrees, so that nobody draws on the clips of others. Who has walked the most
 * cells that nobody else walked loses them first, where a map has too many.
 */
export function createKeptFootprints(folder: string, mostCells = MOST_CELLS): KeptFootprints {
  return {
    async learn(match, account) {
      const name = nameOf(match);
      if (name === null) return NOTHING_KEPT;
      try {
        const path = join(folder, name);
        const walked = await read(path);
        if (account !== null && add(walked, walkedCells(match, mostCells), walkerOf(account), mostCells)) {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await write(path, walked);
          await dropOldest(folder);
        }
        return Uint32Array.from([...walked.keys()].filter((cell) => walked.get(cell) === EVERYBODY));
      } catch {
        return NOTHING_KEPT;
      }
    },
  };
}

/** null for a map that the game has not named itself, and for a recording of no build. */
function nameOf({ map, build, gamePatch }: Match): string | null {
  const version = build ?? gamePatch;
  return version !== null && /^[a-z0-9_]{1,64}$/i.test(map) ? `${map}-${version}` : null;
}

/** 32 bits of an account's name: two that share them only fail to agree. */
function walkerOf(account: string): number {
  let hash = 0;
  for (const character of account) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return hash === EVERYBODY ? 1 : hash;
}

/** Whether anything has changed. */
function add(walked: Walked, cells: ReadonlySet<Cell>, walker: number, mostCells: number): boolean {
  let changed = false;
  for (const cell of cells) {
    const known = walked.get(cell);
    if (known === EVERYBODY || known === walker) continue;
    walked.set(cell, known === undefined ? walker : EVERYBODY);
    changed = true;
  }
  while (walked.size > mostCells) dropOfOne(walked, walked.size - mostCells);
  return changed;
}

/** Of the cells that one account alone walked, so many at most, of the one that has the most. */
function dropOfOne(walked: Walked, excess: number): void {
  const counts = new Map<number, number>();
  for (const walker of walked.values()) {
    if (walker !== EVERYBODY) counts.set(walker, (counts.get(walker) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  let left = excess;
  for (const [cell, walker] of walked) {
    if (left === 0) return;
    if (walker !== most) continue;
    walked.delete(cell);
    left--;
  }
}

async function read(path: string): Promise<Walked> {
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null || bytes.length < HEADER * 4 || bytes.length % 4 !== 0) return new Map();
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const [magic, version, count = 0] = words;
  if (magic !== MAGIC || version !== VERSION || words.length !== HEADER + 2 * count) return new Map();
  const walked: Walked = new Map();
  for (let i = 0; i < count; i++) walked.set(words[HEADER + i] ?? 0, words[HEADER + count + i] ?? 0);
  return walked;
}

/** Whole, or not at all: the host may end at any time. */
async function write(path: string, walked: Walked): Promise<void> {
  const words = new Uint32Array(HEADER + 2 * walked.size);
  words.set([MAGIC, VERSION, walked.size]);
  words.set([...walked.keys()], HEADER);
  words.set([...walked.values()], HEADER + walked.size);
  const draft = `${path}.new`;
  await writeFile(draft, words);
  await rename(draft, path);
}

/** The map that was learnt about the longest time ago goes, where there are too many. */
async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST_MAPS) return;
  const ages = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
  const [oldest] = ages.sort((a, b) => a.at - b.at);
  if (oldest !== undefined) await rm(join(folder, oldest.name), { force: true });
}
