import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Match } from '../match/match.ts';
import { readMatchFile } from '../match/match-file.ts';

/** A demo's address may show another demo later: what was downloaded is taken for it for so long. */
const KEPT_MS = 60 * 60_000;

export interface KeptDemos {
  /** Of whose demos something is kept, the last one first. */
  keys(): string[];
  /** The match of a demo, whose file is laid at `demoPath`; null where none is kept, or it is not what it was. */
  take(key: string, demoPath: string): Promise<Match | null>;
  /** Keeps a demo, and the file of its match, which is taken away. Never rejects. */
  keep(key: string, demoPath: string, matchPath: string): Promise<void>;
  /** Keeps nothing any more: the disk is needed. */
  clear(): Promise<void>;
}

interface Kept {
  readonly folder: string;
  readonly bytes: number;
  /** Worked out beside the render. */
  readonly sha256: Promise<string>;
  readonly keptAt: number;
}

const DEMO = 'match.dem';
const MATCH = 'match.bin';

/**
 * Keeps demos and what was read from them for as long as this process runs, so that another clip of the same demo
 * downloads and parses nothing. A key is the gateway's, and stands for an account and an address: nobody gets what
 * another account has downloaded. The oldest goes first, and what is damaged is never used: every byte is looked at.
 * `maxBytes`: 0 keeps nothing. `now` in milliseconds.
 */
export function createKeptDemos(folder: string, maxBytes: number, now: () => number): KeptDemos {
  /** The oldest first. */
  const kept = new Map<string, Kept>();
  let count = 0;

  async function drop(key: string): Promise<void> {
    const entry = kept.get(key);
    kept.delete(key);
    if (entry) await remove(entry.folder);
  }

  async function makeRoom(bytes: number): Promise<void> {
    const sum = () => [...kept.values()].reduce((all, entry) => all + entry.bytes, bytes);
    for (const key of kept.keys()) if (sum() > maxBytes) await drop(key);
  }

  const isOver = ({ keptAt }: Kept): boolean => keptAt + KEPT_MS <= now();

  return {
    keys: () => [...kept].flatMap(([key, entry]) => (isOver(entry) ? [] : [key])).toReversed(),

    async take(key, demoPath) {
      const entry = kept.get(key);
      if (!entry) return null;
      try {
        if (isOver(entry)) throw new Error('it is too old');
        await link(join(entry.folder, DEMO), demoPath);
        if ((await digestOf(entry.folder)) !== (await entry.sha256)) throw new Error('it is damaged');
        return await readMatchFile(join(entry.folder, MATCH));
      } catch {
        await drop(key);
        await rm(demoPath, { force: true });
        return null;
      }
    },

    async keep(key, demoPath, matchPath) {
      if (maxBytes <= 0) return;
      const place = join(folder, String(count++));
      try {
        const [demo, match] = await Promise.all([stat(demoPath), stat(matchPath)]);
        const bytes = demo.size + match.size;
        await drop(key);
        if (bytes > maxBytes) return;
        await makeRoom(bytes);
        await mkdir(place, { recursive: true });
        await link(demoPath, join(place, DEMO));
        await rename(matchPath, join(place, MATCH));
        const sha256 = digestOf(place);
        sha256.catch(() => {});
        kept.set(key, { folder: place, bytes, sha256, keptAt: now() });
      } catch {
        // Without it the next clip downloads again; a disk that is full is noticed elsewhere.
        await remove(place);
      }
    },

    async clear() {
      for (const key of [...kept.keys()]) await drop(key);
    },
  };
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of [DEMO, MATCH]) {
    await pipeline(createReadStream(join(folder, name), { highWaterMark: 1 << 20 }), hash, { end: false });
  }
  return hash.digest('hex');
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}
