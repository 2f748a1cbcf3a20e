import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '#domain/reason.ts';
import type { PluginSettings } from '../game/cs2-settings.ts';
import { gameTrouble } from '../game/failure.ts';

type GameFolder = Pick<PluginSettings, 'gameDir'>;

/** Files and folders of the game that have to do with the plugin. */
interface PluginFolders {
  /** The plugin itself. */
  readonly library: string;
  /** Where the game puts its films: below the first folder that it looks into, which is the plugin's. */
  readonly films: string;
  /** Where their sound is since the Armory update (cs-demo-manager `get-sequence-raw-files.ts`); others' films, too. */
  readonly sounds: string;
  /** The plugin's log, in the folder that the game runs in. */
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
/** What the names of our films begin with. */
export const FILM_PREFIX = 'tickreel';

/**
 * Puts the plugin where the game loads it from: for one start, since the plugin itself takes the line out again, and so
 * does `uninstallPlugin`. Without it the game is as Steam installed it.
 *
 * @throws {RecordingFailure} `cs2_unavailable` when the game's folder cannot be written or is not as it was.
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
    throw gameTrouble(`the plugin cannot be put into the game: ${reasonOf(error)}`);
  }
}

/** What a plugin that never ran has not taken back, and films that nobody needs any more. */
export async function uninstallPlugin(settings: GameFolder): Promise<void> {
  const { library, films } = pluginFolders(settings);
  const info = gameInfo(settings);
  if ((await stat(`${info}.backup`).catch(() => null)) !== null) await rename(`${info}.backup`, info);
  await rm(library, { force: true });
  await rm(films, { recursive: true, force: true });
  await removeSounds(settings);
}

/** Of our films alone. */
async function removeSounds(settings: GameFolder): Promise<void> {
  const { sounds } = pluginFolders(settings);
  const left = (await readdir(sounds).catch(() => [])).filter((name) => name.startsWith(FILM_PREFIX));
  for (const name of left) await rm(join(sounds, name), { recursive: true, force: true });
}

function gameInfo({ gameDir }: GameFolder): string {
  return join(gameDir, 'game', 'csgo', 'gameinfo.gi');
}
