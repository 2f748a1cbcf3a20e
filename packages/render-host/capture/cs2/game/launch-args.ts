import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CaptureOptions } from '#scene/frames/clip-clock.ts';
import { newestVideoConfig } from './steam-folder.ts';

/** Where the game is, and settings that both recorders use. */
interface GameSettings {
  /** The game's folder, which contains `game/csgo`. */
  readonly gameDir: string;
  /** The program that starts the game, and its first arguments. */
  readonly launcher: readonly [string, ...string[]];
  /** The port that the game posts its state to (Game State Integration). */
  readonly gameStatePort: number;
  /** Further arguments for the game. */
  readonly gameArgs: readonly string[];
  /** How ffmpeg encodes footage: output options, without the file. */
  readonly footageCodec: string;
  /** `cl_demo_predict`: 0 shows the recorded view, 2 the view that the player's game predicted. */
  readonly demoPredict: 0 | 2;
  /** Greatest height in pixels of a film. */
  readonly filmHeight: number;
  /** Whether `CEntityMessageRemoveAllDecals` is removed from demos: `auto` by the builds of demo and game. */
  readonly stripDecals: 'auto' | 'always' | 'never';
  /** Gets each line of the game's console and of the plugin's log, and `<steam id> at <second>` for each report. */
  readonly observe?: (from: 'console' | 'plugin' | 'report', text: string) => void;
}

/** On Windows, HLAE records; the launcher is `HLAE.exe`. */
export interface HlaeSettings extends GameSettings {
  readonly recorder: 'hlae';
  /** HLAE's `AfxHookSource2.dll`. */
  readonly hookPath: string;
  readonly consolePort: number;
  /** The game is restarted after so many jobs. */
  readonly jobsPerStart: number;
}

/**
 * On Linux the game films itself with cs-demo-manager's plugin. The launcher is `_v2-entry-point` of the Steam Linux
 * Runtime.
 */
export interface PluginSettings extends GameSettings {
  readonly recorder: 'plugin';
  /** The plugin's `libserver.so`. */
  readonly pluginPath: string;
}

export type Cs2Settings = HlaeSettings | PluginSettings;

/** Returns HLAE's script that holds the camera, next to the hook's folder. Versions before 2026-03-13 have none. */
export function specLockScript({ hookPath }: Pick<HlaeSettings, 'hookPath'>): string {
  return join(dirname(dirname(hookPath)), 'resources', 'AfxHookSource2', 'snippets', 'mirv_script_spec_lock.js');
}

/** The game's program, relative to its folder. */
const GAME_PROGRAM = ['game', 'bin', 'win64', 'cs2.exe'];

/** Returns the path of the game's program. */
export function gameProgram({ gameDir }: Pick<HlaeSettings, 'gameDir'>): string {
  return join(gameDir, ...GAME_PROGRAM);
}

/**
 * Returns HLAE's arguments, as cs-demo-manager's `start-counter-strike-with-hlae.ts` and 5stack's game-streamer have
 * them: load the hook into the game and start it. Settings come neither from HLAE's window nor from Steam's cloud.
 * Full screen hangs on Linux (ValveSoftware/csgo-osx-linux 4192). `-insecure` keeps a hooked game off secured
 * servers. `-afxFixNetCon` makes the console port work on Windows (ValveSoftware/csgo-osx-linux 3603). That port is
 * open on all addresses of the machine, so it has a password of letters and digits, as in CS2Prak-HighlightMaker's
 * `netcon.py`. The language is the same on all hosts, because the game writes text into the picture. Other settings are
 * sent to the console before playback.
 */
export function launchArgs(
  settings: HlaeSettings,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
  password: string,
): string[] {
  const game = [
    ...['-insecure', '-novid', '-console', '-windowed', '-noborder', '-width', `${width}`, '-height', `${height}`],
    ...['-netconport', `${settings.consolePort}`, '-netconpassword', password],
    ...['-afxFixNetCon', '-afxDisableSteamStorage'],
    ...['-language', 'english', '+engine_no_focus_sleep', '0', '+demo_ui_mode', '0'],
    ...['+cl_demo_predict', `${settings.demoPredict}`],
    ...settings.gameArgs,
  ];
  return [
    ...['-noGui', '-autoStart', '-noConfig', '-afxDisableSteamStorage', '-customLoader'],
    ...['-hookDllPath', settings.hookPath, '-programPath', gameProgram(settings), '-cmdLine', game.join(' ')],
  ];
}

/** Settings of a machine, used for keys that no file of the game has (5stack `default.txt`). */
const MACHINE: Readonly<Record<string, number>> = {
  Version: 16,
  VendorID: 4318,
  Autoconfig: 2,
  'setting.cpu_level': 3,
  'setting.gpu_level': 3,
  'setting.gpu_mem_level': 3,
  'setting.knowndevice': 0,
  'setting.monitor_index': 0,
  'setting.refreshrate_numerator': 60,
  'setting.refreshrate_denominator': 1,
};

/** Keys and values as the game writes them: no window border, no vertical sync, the same look on all hosts. */
const VIDEO: Readonly<Record<string, number>> = {
  'setting.fullscreen': 0,
  'setting.nowindowborder': 1,
  'setting.coop_fullscreen': 0,
  'setting.fullscreen_min_on_focus_loss': 0,
  'setting.high_dpi': 0,
  'setting.mat_vsync': 0,
  'setting.r_low_latency': 0,
  'setting.aspectratiomode': 1,
  'setting.msaa_samples': 4,
  'setting.r_csgo_cmaa_enable': 0,
  'setting.shaderquality': 1,
  'setting.r_texturefilteringquality': 3,
  'setting.videocfg_texture_detail': 2,
  'setting.videocfg_shadow_quality': 2,
  'setting.videocfg_dynamic_shadows': 1,
  'setting.videocfg_particle_detail': 2,
  'setting.videocfg_ao_detail': 2,
  'setting.videocfg_hdr_detail': -1,
  'setting.videocfg_fsr_detail': 0,
};

/**
 * Makes the game keep its settings in our folder (`USRLOCALCSGO`, as cs-demo-manager does), so that crosshair, HUD and
 * gamma are not those of the signed-in user, and sets the video settings there. The game replaces a file that lacks
 * keys or is writable. So this file has all keys of the newest file of this machine, and is read-only. Returns the
 * environment that the game needs.
 */
export async function writeOwnConfig(
  folder: string,
  game: Pick<GameSettings, 'gameDir'>,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
): Promise<Readonly<Record<string, string>>> {
  const path = join(folder, 'cfg', 'cs2_video.txt');
  await mkdir(dirname(path), { recursive: true });
  const written = [...(await newestVideoConfig(game)).matchAll(/^\s*"([^"]+)"\s*"([^"]*)"\s*$/gm)];
  const known = Object.fromEntries(written.map(([, key = '', value = '']) => [key, value]));
  const size = { 'setting.defaultres': width, 'setting.defaultresheight': height };
  const lines = Object.entries({ ...MACHINE, ...known, ...VIDEO, ...size }).map(
    ([key, value]) => `\t"${key}"\t\t"${value}"`,
  );
  await rm(path, { force: true });
  await writeFile(path, `"video.cfg"\n{\n${lines.join('\n')}\n}\n`, { mode: 0o444 });
  return { USRLOCALCSGO: folder };
}

/** Returns the script that starts the game, for the Steam Linux Runtime. */
export function gameScript({ gameDir }: Pick<PluginSettings, 'gameDir'>): string {
  return join(gameDir, 'game', 'cs2.sh');
}

/**
 * Returns the arguments of the Steam Linux Runtime: start the game and wait for its end (cs-demo-manager
 * `start-counter-strike.ts`). The demo's settings have to be set before playback, which is slower than real time
 * without `+fps_max`.
 * `-condebug` writes the console to a file (5stack `run-demo.sh`), so that no port is open that others could reach.
 */
export function linuxLaunchArgs(
  settings: PluginSettings,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
  demoPath: string,
): string[] {
  return [
    ...['--verb=waitforexitandrun', '--', gameScript(settings)],
    ...['-insecure', '-novid', '-console', '-condebug', '-windowed', '-noborder'],
    ...['-width', `${width}`, '-height', `${height}`, '-language', 'english'],
    ...['+engine_no_focus_sleep', '0', '+demo_ui_mode', '0', '+cl_demo_predict', `${settings.demoPredict}`],
    ...['+fps_max', '120', ...settings.gameArgs, '+playdemo', demoPath],
  ];
}
