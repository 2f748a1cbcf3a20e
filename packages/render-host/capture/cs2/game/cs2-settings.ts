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
  /** Whether `CEntityMessageRemoveAllDecals` is removed from demos: `auto` by the builds of demo and game. */
  readonly stripDecals: 'auto' | 'always' | 'never';
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
