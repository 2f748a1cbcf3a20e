/** How a match is recorded: what the recording contains, and what it leaves out. */
export interface RecordingOptions {
  /** Send `round_start`, `round_end` and `round_officially_ended`, as servers did until February 2024. */
  readonly nativeRoundEvents?: boolean;
  /** false: no DEM_Stop, as if the server was shut down. */
  readonly endMark?: boolean;
  /** The recording starts at this tick of the match. */
  readonly fromTick?: number;
  /** At each of these ticks the recording skips so many ticks. */
  readonly jumps?: readonly { readonly atTick: number; readonly by: number }[];
  /** userId of the player who records their own view; undefined for a server's recording. */
  readonly recordedBy?: number;
  /** false: no list of the game events, which some providers lose. */
  readonly eventList?: boolean;
  /** false: packets do not have the sizes of their entities, like demos of 2023. */
  readonly payloadSizes?: boolean;
  /** Returns the id of the player in a slot. */
  readonly wireId?: (slot: number) => number;
  /** At each of these ticks `userinfo` repeats the last entry of a player, by userId, although they may have left. */
  readonly repeatedEntries?: readonly { readonly tick: number; readonly userId: number }[];
  /** Server settings that clients get. */
  readonly conVars?: Readonly<Record<string, string>>;
  /** Ids of the server's own content, as the header has them. */
  readonly addons?: string;
  /** The tick rate that the server reports. */
  readonly tickRate?: number;
  /** Entities that the recording lacks. */
  readonly lacks?: readonly ('rules' | 'teams')[];
  /** Deathmatch: the game rules have a part of their own. */
  readonly isDeathmatch?: boolean;
  /** Other names of classes. */
  readonly classNames?: Readonly<Record<string, string>>;
  /** Fill each tick like a real recording: other entities and their changes. */
  readonly isHeavy?: boolean;
}

/** Over 65,000, like demos since July 2025, with equal low bytes. */
export function usualWireId(slot: number): number {
  return 65_600 + slot * 128;
}
