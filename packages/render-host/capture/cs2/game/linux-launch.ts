import { join } from 'node:path';
import type { CaptureOptions } from '#scene/frames/capture-options.ts';
import type { PluginSettings } from './cs2-settings.ts';

/** Returns the script that starts the game, for the Steam Linux Runtime. */
export function gameScript({ gameDir }: Pick<PluginSettings, 'gameDir'>): string {
  return join(gameDir, 'game', 'cs2.sh');
}

/**
 * Returns the arguments of the Steam Linux Runtime: start the game and wait for its end, as cs-demo-manager does.
 * `-condebug` writes the console to a file (5stack `run-demo.sh`), so that no port is open that others could reach. Not
 * `-fullscreen`: the window hangs (ValveSoftware/csgo-osx-linux 4192).
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
