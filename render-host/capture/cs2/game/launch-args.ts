import { join } from 'node:path';
import type { CaptureOptions } from '../../../frames/frame-source.ts';
import type { Cs2Settings } from './cs2-settings.ts';

/** The game's program below its folder. */
const GAME_PROGRAM = ['game', 'bin', 'win64', 'cs2.exe'];

/** The game's own program. */
export function gameProgram({ gameDir }: Pick<Cs2Settings, 'gameDir'>): string {
  return join(gameDir, ...GAME_PROGRAM);
}

/**
 * HLAE's arguments: load the hook into the game and start it. `-insecure` keeps a hooked game off secured servers;
 * `-afxFixNetCon` makes the console port work under the hook; TrueView (`cl_demo_predict`) would show predicted, not
 * recorded, movement; the demo panel has to be off before playback begins.
 */
export function launchArgs(
  settings: Cs2Settings,
  { width, height }: Pick<CaptureOptions, 'width' | 'height'>,
): string[] {
  const game = [
    ...['-insecure', '-novid', '-console', '-windowed', '-noborder', '-width', `${width}`, '-height', `${height}`],
    ...['-netconport', `${settings.consolePort}`, '-afxFixNetCon', '-afxDisableSteamStorage'],
    ...['+engine_no_focus_sleep', '0', '+demo_ui_mode', '0', '+cl_demo_predict', '0'],
    ...settings.gameArgs,
  ];
  return [
    ...['-noGui', '-autoStart', '-noConfig', '-afxDisableSteamStorage', '-customLoader'],
    ...['-hookDllPath', settings.hookPath, '-programPath', gameProgram(settings), '-cmdLine', game.join(' ')],
  ];
}
