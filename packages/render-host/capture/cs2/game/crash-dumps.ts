import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Looks for what the game leaves when it crashes: a dump next to its program. */
export interface CrashDumps {
  /** The name of a dump that was not there at first; null without one. */
  fresh(): Promise<string | null>;
}

/** Remembers the dumps of earlier crashes. `program` is the game's. */
export async function listenForCrashDumps(program: string): Promise<CrashDumps> {
  const folder = dirname(program);
  const before = new Set(await dumpsIn(folder));
  return { fresh: async () => (await dumpsIn(folder)).find((name) => !before.has(name)) ?? null };
}

async function dumpsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.mdmp'));
}
