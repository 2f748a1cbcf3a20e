import { dirname, join } from 'node:path';
import type { CaptureOptions } from '#scene/frames/capture-options.ts';
import type { HlaeSettings } from './cs2-settings.ts';

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
 * Returns HLAE's arguments: load the hook into the game and start it. `-insecure` keeps a hooked game off secured
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
