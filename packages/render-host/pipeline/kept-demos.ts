import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Match } from '../match/match.ts';
import { readMatchFile } from '../match/match-file.ts';

/** How long a download is used again, because the address may have another demo later. */
const KEPT_MS = 60 * 60_000;

export interface KeptDemos {
  /** Returns the keys of the cached demos, the latest first. */
  keys(): string[];
  /** Puts a demo at `demoPath` and returns its match; null if it is not cached, or the files have changed. */
  take(key: string, demoPath: string): Promise<TakenDemo | null>;
  /**
   * Caches a demo, the file of its match, which is moved, and the names of the demos of its archive. Never rejects.
   */
  keep(key: string, demoPath: string, matchPath: string, demos: readonly string[]): Promise<void>;
  /** Deletes everything, because the disk is needed. */
  clear(): Promise<void>;
}

export interface TakenDemo {
  readonly match: Match;
  readonly demos: readonly string[];
}

interface Kept {
  readonly demos: readonly string[];
  readonly folder: string;
  readonly bytes: number;
  /** Computed while the clip renders. */
  readonly sha256: Promise<string>;
  readonly keptAt: number;
}

const DEMO = 'match.dem';
const MATCH = 'match.bin';

/**
 * Caches demos and their matches while this process runs, so that another clip of the same demo needs no download and
 * no parse. The gateway's key stands for an account and an address, so no account gets what another one downloaded. The
 * oldest is deleted first. All bytes are verified, so a damaged entry is never used. `maxBytes` 0 disables the cache.
 * `now` in milliseconds.
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

  async function evictFor(bytes: number): Promise<void> {
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
        return { match: await readMatchFile(join(entry.folder, MATCH)), demos: entry.demos };
      } catch {
        await drop(key);
        await rm(demoPath, { force: true });
        return null;
      }
    },

    async keep(key, demoPath, matchPath, demos) {
      if (maxBytes <= 0) return;
      const place = join(folder, String(count++));
      try {
        const [demo, match] = await Promise.all([stat(demoPath), stat(matchPath)]);
        const bytes = demo.size + match.size;
        await drop(key);
        if (bytes > maxBytes) return;
        await evictFor(bytes);
        await mkdir(place, { recursive: true });
        await link(demoPath, join(place, DEMO));
        await rename(matchPath, join(place, MATCH));
        const sha256 = digestOf(place);
        sha256.catch(() => {});
        kept.set(key, { demos, folder: place, bytes, sha256, keptAt: now() });
      } catch {
        // The next clip downloads it again. A full disk is noticed elsewhere.
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
