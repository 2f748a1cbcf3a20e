import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Finds the dump that the game writes next to its program when it crashes. */
export interface CrashDumps {
  /** Returns the name of a new dump, or null. */
  fresh(): Promise<string | null>;
}

/** Remembers the dumps of earlier crashes. `program` is the path of the game. */
export async function listenForCrashDumps(program: string): Promise<CrashDumps> {
  const folder = dirname(program);
  const before = new Set(await dumpsIn(folder));
  return { fresh: async () => (await dumpsIn(folder)).find((name) => !before.has(name)) ?? null };
}

async function dumpsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith('.mdmp'));
}
