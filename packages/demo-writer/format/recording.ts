/** How a match is recorded: what a server, or a player, writes down of it, and what it leaves out. */
export interface RecordingOptions {
  /** Send `round_start`, `round_end` and `round_officially_ended`, as servers did until February 2024. */
  readonly nativeRoundEvents?: boolean;
  /** false: no DEM_Stop, as where a server is shut down. */
  readonly endMark?: boolean;
  /** The recording starts at this tick of the match. */
  readonly fromTick?: number;
  /** At each of these ticks the recording jumps ahead by so many. */
  readonly jumps?: readonly { readonly atTick: number; readonly by: number }[];
  /** userId of the player who records his own view; a server's recording where left out. */
  readonly recordedBy?: number;
  /** false: no list of the game events, which some providers lose. */
  readonly eventList?: boolean;
  /** false: packets do not tell the sizes of their entities, as in demos of 2023. */
  readonly payloadSizes?: boolean;
  /** What the demo names players by, from their slot. */
  readonly wireId?: (slot: number) => number;
  /** Settings of the server that it tells its clients. */
  readonly conVars?: Readonly<Record<string, string>>;
  /** What the server says of its tick rate. */
  readonly tickRate?: number;
  /** Entities that the recording lacks. */
  readonly lacks?: readonly ('rules' | 'teams')[];
  /** Deathmatch: the game rules carry a part of their own. */
  readonly isDeathmatch?: boolean;
  /** Fill each tick with as much as a real recording has: other entities and their changes. */
  readonly isHeavy?: boolean;
}

/** Over 65,000, as in demos since July 2025, and not to be told apart by the low byte. */
export function usualWireId(slot: number): number {
  return 65_600 + slot * 128;
}
