import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Match } from '../../../match/match.ts';
import type { Cs2Settings } from './launch-args.ts';

export interface GameBuild {
  /** As the game writes it, such as `1.41.6.0`. */
  readonly version: string;
  /** The number that the engine gives its builds, and recordings carry: days since 24 October 1996. Null if unknown. */
  readonly build: number | null;
}

/** The day of the engine's build 0 (Source 1 `buildnum.cpp`). Recordings of 2024 to 2026 agree with it. */
const DAY_ZERO = Date.UTC(1996, 9, 24);

/**
 * Reads the game's build from its `steam.inf`. Steam updates the game at any time, so it is read again for each job.
 *
 * @throws if the file is missing or names no version.
 */
export async function readGameBuild({ gameDir }: Pick<Cs2Settings, 'gameDir'>): Promise<GameBuild> {
  const text = await readFile(join(gameDir, 'game', 'csgo', 'steam.inf'), 'utf8');
  const version = /^PatchVersion=(\d+(?:\.\d+)+)\s*$/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${gameDir} holds a game that does not name its version`);
  const day = Date.parse(`${/^VersionDate=(\w{3} +\d{1,2} \d{4})\s*$/m.exec(text)?.[1]} UTC`);
  return { version, build: Number.isNaN(day) ? null : Math.round((day - DAY_ZERO) / 86_400_000) };
}

/** Returns why a build cannot play a demo: a newer build recorded it. Returns null if nothing is known. */
export function buildObjection(match: Pick<Match, 'gamePatch'>, { version }: GameBuild): string | null {
  const recorded = versionOf(match.gamePatch);
  if (recorded === null || !isNewer(recorded, version)) return null;
  return `the demo was recorded by ${recorded}, newer than the game ${version} of this machine`;
}

/** The game of 8 July 2026: it ends playback at a message of older recordings. */
const STRICT_GAME = { build: 10_849, version: '1.41.7.0' } as const;

/** Whether the game ends playback of such a demo at `CEntityMessageRemoveAllDecals`. */
export function refusesDecals({ build, gamePatch }: Pick<Match, 'build' | 'gamePatch'>, game: GameBuild): boolean {
  const recorded = versionOf(gamePatch);
  const isOld =
    build === null ? recorded !== null && isNewer(STRICT_GAME.version, recorded) : build < STRICT_GAME.build;
  const isStrict = game.build === null ? !isNewer(STRICT_GAME.version, game.version) : game.build >= STRICT_GAME.build;
  return isOld && isStrict;
}

/** Returns the version of a demo's patch number, which runs its digits together: 14160 is 1.41.6.0. */
function versionOf(patch: number | null): string | null {
  return /^(\d)(\d\d)(\d\d?)(\d)$/.exec(`${patch}`)?.slice(1).map(Number).join('.') ?? null;
}

/** Compares versions part by part: 1.42.0.0 is newer than 1.41.10.0. */
export function isNewer(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  const at = (left ?? []).findIndex((part, i) => part !== (right?.[i] ?? 0));
  return at >= 0 && (left?.[at] ?? 0) > (right?.[at] ?? 0);
}
