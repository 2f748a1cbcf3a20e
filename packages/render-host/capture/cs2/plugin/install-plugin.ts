import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '#domain/lib/text.ts';
import { gameFailure } from '../game/console-faults.ts';
import type { PluginSettings } from '../game/launch-args.ts';

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
  /**
   * The files that may be the console's log. The engine writes into the first folder of its search path, which is the
   * plugin's, or into its own.
   */
  readonly consoleLogs: readonly string[];
}

export function pluginFolders({ gameDir }: GameFolder): PluginFolders {
  const folder = join(gameDir, 'game', 'csgo', 'csdm');
  return {
    library: join(folder, 'bin', 'linuxsteamrt64', 'libserver.so'),
    films: join(folder, 'movie'),
    sounds: join(gameDir, 'game', 'csgo', 'movie'),
    log: join(gameDir, 'game', 'bin', 'linuxsteamrt64', 'csdm.log'),
    consoleLogs: [folder, join(gameDir, 'game', 'csgo')].map((place) => join(place, 'console.log')),
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
  const { library, films, log, consoleLogs } = pluginFolders(settings);
  const info = gameInfo(settings);
  try {
    await mkdir(dirname(library), { recursive: true });
    await copyFile(settings.pluginPath, library);
    for (const left of [films, log, ...consoleLogs]) await rm(left, { recursive: true, force: true });
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

/** Restores `gameinfo.gi` if the plugin never ran. Removes the plugin, its films and the console's log. */
export async function uninstallPlugin(settings: GameFolder): Promise<void> {
  const { library, films, consoleLogs } = pluginFolders(settings);
  const info = gameInfo(settings);
  if ((await stat(`${info}.backup`).catch(() => null)) !== null) await rename(`${info}.backup`, info);
  for (const left of [library, films, ...consoleLogs]) await rm(left, { recursive: true, force: true });
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

/**
 * The port that the plugin tries to connect to (`CSDM_WS_PORT`, cs-demo-manager `main.cpp`). No program listens there.
 * A connected plugin uses a whole core. A refused one sleeps two seconds and logs three lines.
 */
export const PLUGIN_PORT = 1;

/** What a line of the plugin's log reports, and the tick of playback if the line has one. */
export interface PluginEvent {
  readonly kind: PluginEventKind;
  readonly tick: number | null;
  /** The command of a `ran`, else empty. */
  readonly command: string;
}

/** `hooked`: the plugin sees each frame of the game, which happens once a demo plays. */
type PluginEventKind = 'loaded' | 'no-actions' | 'too-old' | 'hooked' | 'paused' | 'next' | 'ran';

/** The texts of cs-demo-manager's `main.cpp` of v3.20.1. */
const PATTERNS: readonly (readonly [RegExp, PluginEventKind])[] = [
  [/^\d+ sequences loaded/, 'loaded'],
  [/^(?:JSON sequences file not found|No sequences found)/, 'no-actions'],
  // Versions of 2025, and those before March 2026, which have a thread instead of the hook.
  [/^(?:JSON sequences file loaded|Initialized$)/, 'too-old'],
  [/^Hooked FrameStageNotify/, 'hooked'],
  [/^Pausing demo playback/, 'paused'],
  [/^Going to next sequence/, 'next'],
  [/^Executing: /, 'ran'],
];

/** Returns the event of a line of the log, or null: the plugin also logs its action file and its own connection. */
export function readPluginLine(line: string): PluginEvent | null {
  const [, tick, text = ''] = /^(?:\[(-?\d+)\] )?(.*)$/.exec(line.trimEnd()) ?? [];
  const [pattern, kind] = PATTERNS.find(([one]) => one.test(text)) ?? [];
  if (pattern === undefined || kind === undefined) return null;
  return {
    kind,
    tick: tick === undefined ? null : Number(tick),
    command: kind === 'ran' ? text.replace(pattern, '') : '',
  };
}

/** A longer line is not the plugin's. */
const MAX_LINE = 64 * 1024;

/** Returns the complete lines that were written to a file since the last call; none for a missing file. */
export function tailFile(path: string): () => Promise<string[]> {
  let offset = 0;
  let rest = '';
  const decoder = new TextDecoder();
  return async () => {
    const file = await open(path).catch(() => null);
    if (file === null) return [];
    try {
      const { size } = await file.stat();
      // A new start of the game writes a new log.
      if (size < offset) {
        offset = 0;
        rest = '';
      }
      const bytes = Buffer.alloc(Math.min(size - offset, MAX_LINE * 16));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      offset += bytesRead;
      const lines = (rest + decoder.decode(bytes.subarray(0, bytesRead), { stream: true })).split('\n');
      rest = (lines.pop() ?? '').slice(-MAX_LINE);
      return lines.map((line) => line.replace(/\r$/, ''));
    } finally {
      await file.close();
    }
  };
}
