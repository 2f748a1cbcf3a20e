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
 * Reads the game's build from its `steam.inf`. Steam updates a game behind the host's back, so it is read anew for
 * every job.
 *
 * @throws when the file is not there or names no version.
 */
export async function readGameBuild({ gameDir }: Pick<Cs2Settings, 'gameDir'>): Promise<GameBuild> {
  const text = await readFile(join(gameDir, 'game', 'csgo', 'steam.inf'), 'utf8');
  const version = /^PatchVersion=([\d.]+)\s*$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${gameDir} holds a game that does not name its version`);
  return { version, patch: Number(version.replaceAll('.', '')) };
}

/** Why a demo cannot be played with a build: it was recorded by a newer one. Null when nothing is known against it. */
export function buildObjection(match: Pick<Match, 'gamePatch'>, build: GameBuild): string | null {
  if (match.gamePatch === null || match.gamePatch <= build.patch) return null;
  return `the demo was recorded by patch ${match.gamePatch}, newer than the game ${build.version} (${build.patch}) of this machine`;
}
