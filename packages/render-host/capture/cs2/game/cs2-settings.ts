/** Where the game is, and what holds for both ways to record it. */
interface GameSettings {
  /** The game's folder, the one with `game/csgo` in it. */
  readonly gameDir: string;
  /** The program that starts the game, and what it is given before all else. */
  readonly launcher: readonly [string, ...string[]];
  /** Where the game posts whom it shows (Game State Integration). */
  readonly gameStatePort: number;
  /** Further arguments for the game. */
  readonly gameArgs: readonly string[];
  /** How ffmpeg encodes footage: output options, without the file. */
  readonly footageCodec: string;
  /** `cl_demo_predict`: 0 shows what was recorded, 2 what the player's game predicted. */
  readonly demoPredict: 0 | 2;
}

/** On Windows, HLAE records; the launcher is `HLAE.exe`. */
export interface HlaeSettings extends GameSettings {
  readonly recorder: 'hlae';
  /** HLAE's `AfxHookSource2.dll`. */
  readonly hookPath: string;
  readonly consolePort: number;
  /** Jobs after which the game is started anew. */
  readonly jobsPerStart: number;
}

/**
 * On Linux, the game films itself, told by cs-demo-manager's plugin; the launcher is the Steam Linux Runtime's
 * `_v2-entry-point`.
 */
export interface PluginSettings extends GameSettings {
  readonly recorder: 'plugin';
  /** The plugin's `libserver.so`. */
  readonly pluginPath: string;
}

export type Cs2Settings = HlaeSettings | PluginSettings;
