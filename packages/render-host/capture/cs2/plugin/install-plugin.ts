import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '#domain/reason.ts';
import type { PluginSettings } from '../game/cs2-settings.ts';
import { gameFailure } from '../game/failure.ts';

type GameFolder = Pick<PluginSettings, 'gameDir'>;

/** Files and folders of the game that the plugin uses. */
interface PluginFolders {
  /** The plugin itself. */
  readonly library: string;
  /** Where the game writes its films: in the first folder of its search path, which is the plugin's. */
  readonly films: string;
  /** Where their sound is since the Armory update (cs-demo-manager `get-sequence-raw-files.ts`). Other films' too. */
  readonly sounds: string;
  /** The plugin's log, in the game's working folder. */
  readonly log: string;
  readonly consoleLog: string;
}

export function pluginFolders({ gameDir }: GameFolder): PluginFolders {
  const folder = join(gameDir, 'game', 'csgo', 'csdm');
  return {
    library: join(folder, 'bin', 'linuxsteamrt64', 'libserver.so'),
    films: join(folder, 'movie'),
    sounds: join(gameDir, 'game', 'csgo', 'movie'),
    log: join(gameDir, 'game', 'bin', 'linuxsteamrt64', 'csdm.log'),
    consoleLog: join(gameDir, 'game', 'csgo', 'console.log'),
  };
}

const OURS = 'csgo/csdm';
/** The prefix of our films' names. */
export const FILM_PREFIX = 'tickreel';

/**
 * Puts the plugin where the game loads it from. This lasts for one start: the plugin itself removes the line, and so
 * does `uninstallPlugin`. Without it the game is as Steam installed it.
 *
 * @throws {RecordingFailure} `cs2_unavailable` if the game's folder cannot be written or has unexpected content.
 */
export async function installPlugin(settings: PluginSettings): Promise<void> {
  const { library, films, log, consoleLog } = pluginFolders(settings);
  const info = gameInfo(settings);
  try {
    await mkdir(dirname(library), { recursive: true });
    await copyFile(settings.pluginPath, library);
    for (const left of [films, log, consoleLog]) await rm(left, { recursive: true, force: true });
    await removeSounds(settings);
    const text = await readFile(info, 'utf8');
    if (text.includes(OURS)) return;
    const patched = text.replace(/^([ \t]*)Game([ \t]+)csgo[ \t]*(\r?)$/m, `$1Game$2${OURS}$3\n$&`);
    if (patched === text) throw new Error('gameinfo.gi has no line “Game csgo”');
    await copyFile(info, `${info}.backup`);
    await writeFile(info, patched);
  } catch (error) {
    throw gameFailure(`the plugin cannot be put into the game: ${reasonOf(error)}`);
  }
}

/** Removes what a plugin that never ran has not removed, and old films. */
export async function uninstallPlugin(settings: GameFolder): Promise<void> {
  const { library, films } = pluginFolders(settings);
  const info = gameInfo(settings);
  if ((await stat(`${info}.backup`).catch(() => null)) !== null) await rename(`${info}.backup`, info);
  await rm(library, { force: true });
  await rm(films, { recursive: true, force: true });
  await removeSounds(settings);
}

/** Removes the sounds of our films only. */
async function removeSounds(settings: GameFolder): Promise<void> {
  const { sounds } = pluginFolders(settings);
  const left = (await readdir(sounds).catch(() => [])).filter((name) => name.startsWith(FILM_PREFIX));
  for (const name of left) await rm(join(sounds, name), { recursive: true, force: true });
}

function gameInfo({ gameDir }: GameFolder): string {
  return join(gameDir, 'game', 'csgo', 'gameinfo.gi');
}
