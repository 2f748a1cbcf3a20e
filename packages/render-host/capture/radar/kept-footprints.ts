import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cell, walkedCells } from '#scene/match/levels.ts';
import type { Match } from '../../match/match.ts';

/** Where players walked on each map, collected from the demos of all jobs. */
export interface KeptFootprints {
  /**
   * Adds where the players of a match walked. Resolves with the cells of its map that demos of two accounts walked.
   * `account` is the gateway's opaque word for the demo's account; without it nothing is added. Never rejects: an error
   * of the disk only loses the floor of other demos.
   */
  add(match: Match, account: string | null): Promise<Uint32Array>;
}

export const NOTHING_KEPT = new Uint32Array(0);

/** A file of another version is ignored; its content is learnt again. */
const MAGIC = 0x7466_7031;
const VERSION = 1;
const HEADER = 3;
/** A fully walked map has some 80,000, of 8 bytes each. */
const MOST_CELLS = 200_000;
/** A build of the game is used for some weeks, and some ten maps are played. */
const MOST_MAPS = 32;
/** The account of a cell that two accounts have walked. */
const EVERYBODY = 0;

/** The cells of a map, each with the account that walked it, or `EVERYBODY`. */
type Walked = Map<Cell, number>;

/**
 * Keeps footprints in a folder, a file for each map and build. What the demo of one account shows is drawn on other
 * clips only if a demo of another account agrees, so that nobody can draw on the clips of others. If a map has too many
 * cells, they are taken from the account with the most cells of its own.
 */
export function createKeptFootprints(folder: string, mostCells = MOST_CELLS): KeptFootprints {
  return {
    async add(match, account) {
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

/** Returns null for a map that is not the game's own, and for a recording without a build. */
function nameOf({ map, build, gamePatch }: Match): string | null {
  const version = build ?? gamePatch;
  return version !== null && /^[a-z0-9_]{1,64}$/i.test(map) ? `${map}-${version}` : null;
}

/** Returns 32 bits of an account's name. A collision only keeps two accounts from confirming each other. */
function walkerOf(account: string): number {
  let hash = 0;
  for (const character of account) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
  return hash === EVERYBODY ? 1 : hash;
}

/** Returns whether anything changed. */
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

/** Deletes up to `excess` cells of the account that alone walked the most. */
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

/** Writes a temporary file and renames it, because the host may end at any time. */
async function write(path: string, walked: Walked): Promise<void> {
  const words = new Uint32Array(HEADER + 2 * walked.size);
  words.set([MAGIC, VERSION, walked.size]);
  words.set([...walked.keys()], HEADER);
  words.set([...walked.values()], HEADER + walked.size);
  const draft = `${path}.new`;
  await writeFile(draft, words);
  await rename(draft, path);
}

/** Deletes the map that was changed the longest time ago, if there are too many. */
async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST_MAPS) return;
  const ages = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
  const [oldest] = ages.sort((a, b) => a.at - b.at);
  if (oldest !== undefined) await rm(join(folder, oldest.name), { force: true });
}
