/** Where the game is and how it is recorded. */
export interface Cs2Settings {
  /** The game's folder, the one with `game/csgo` in it. */
  readonly gameDir: string;
  /** The program that starts the game with HLAE's hook in it, and what it is given before HLAE's own arguments. */
  readonly launcher: readonly [string, ...string[]];
  /** HLAE's `AfxHookSource2.dll`. */
  readonly hookPath: string;
  readonly consolePort: number;
  /** Where the game posts whom it shows (Game State Integration). */
  readonly gameStatePort: number;
  /** Further arguments for the game. */
  readonly gameArgs: readonly string[];
  /** How HLAE's ffmpeg encodes footage: output options, without the file. */
  readonly footageCodec: string;
  /** `cl_demo_predict`: 0 shows what was recorded, 2 what the player's game predicted. */
  readonly demoPredict: 0 | 2;
  /** Jobs after which the game is started anew. */
  readonly jobsPerStart: number;
}
