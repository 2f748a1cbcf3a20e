import { dirname, join } from 'node:path';
import type { CaptureOptions } from '../../../frames/frame-source.ts';
import type { HlaeSettings } from './cs2-settings.ts';

/**
 * HLAE's script that holds the camera, beside the hook's own folder. Versions before 2026-03-13 have none.
 */
export function specLockScript({ hookPath }: Pick<HlaeSettings, 'hookPath'>): string {
  return join(dirname(dirname(hookPath)), 'resources', 'AfxHookSource2', 'snippets', 'mirv_script_spec_lock.js');
}

/** The game's program below its folder. */
const GAME_PROGRAM = ['game', 'bin', 'win64', 'cs2.exe'];

/** The game's own program. */
export function gameProgram({ gameDir }: Pick<HlaeSettings, 'gameDir'>): string {
  return join(gameDir, ...GAME_PROGRAM);
}

/**
 * HLAE's arguments: load the hook into the game and start it. `-insecure` keeps a hooked game off secured servers;
 * `-afxFixNetCon` makes the console port work on Windows (ValveSoftware/csgo-osx-linux 3603). That port is open on all
 * addresses of the machine; the password (letters and digits) is what CS2Prak-HighlightMaker's `netcon.py` gives the
 * game, too. The language is the same on all hosts, for the game writes in it into the picture; what else has to be set
 * before playback is sent to the console.
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
