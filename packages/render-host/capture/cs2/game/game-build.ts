import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Match } from '../../../match/match.ts';
import type { Cs2Settings } from './cs2-settings.ts';

/** The build of the game on this machine. */
export interface GameBuild {
  /** As the game writes it, such as `1.41.6.0`. */
  readonly version: string;
  /** As demos carry it, such as 14160. */
  readonly patch: number;
}

/**
 * Reads the game's build from its `steam.inf`. Steam updates the game at any time, so it is read again for each job.
 *
 * @throws if the file is missing or names no version.
 */
export async function readGameBuild({ gameDir }: Pick<Cs2Settings, 'gameDir'>): Promise<GameBuild> {
  const text = await readFile(join(gameDir, 'game', 'csgo', 'steam.inf'), 'utf8');
  const version = /^PatchVersion=([\d.]+)\s*$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${gameDir} holds a game that does not name its version`);
  return { version, patch: Number(version.replaceAll('.', '')) };
}

/** Returns why a build cannot play a demo: a newer build recorded it. Returns null if nothing is known. */
export function buildObjection(match: Pick<Match, 'gamePatch'>, build: GameBuild): string | null {
  if (match.gamePatch === null || match.gamePatch <= build.patch) return null;
  return `the demo was recorded by patch ${match.gamePatch}, newer than the game ${build.version} (${build.patch}) of this machine`;
}
