export type Team = 'T' | 'CT';

/** Team numbers as events and entities have them. */
export const TEAM_NUMBER: Readonly<Record<Team, number>> = { T: 2, CT: 3 };

/** Why a round ended, as the game numbers it. */
export const ROUND_END_REASON = {
  bomb_exploded: 1,
  bomb_defused: 7,
  cts_won: 8,
  terrorists_won: 9,
  draw: 10,
  hostages_rescued: 11,
  time_ran_out: 12,
  hostages_not_rescued: 13,
  terrorists_surrendered: 17,
  cts_surrendered: 18,
} as const;
export type RoundEndReason = keyof typeof ROUND_END_REASON;

/** A position is sent as a cell of this many units and an offset in it. Cell 32 begins at the map's origin. */
export const CELL_UNITS = 512;
export const ORIGIN_CELL = 32;

/** Values of `m_lifeState` and bits of `m_fFlags`. */
export const LIFE_ALIVE = 0;
export const FLAG_DUCKING = 2;

/** A handle has the entity's index in so many low bits, and the serial number above. */
export const HANDLE_INDEX_BITS = 14;

/** Bits of a quantized float's `encode_flags`. */
export const QUANTIZED = { roundDown: 1, roundUp: 2, encodeZero: 4, encodeIntegers: 8 } as const;

/** How the send tables describe a quantized float. */
export interface QuantizedFloatSpec {
  /** 1 to 31. */
  readonly bitCount: number;
  readonly low: number;
  readonly high: number;
  readonly encodeFlags: number;
}

/** Types of a game event's values: the number on the wire, and the field of `EventKey` that has the value. */
export const EVENT_VALUE = {
  string: [1, 'val_string'],
  float: [2, 'val_float'],
  long: [3, 'val_long'],
  short: [4, 'val_short'],
  byte: [5, 'val_byte'],
  bool: [6, 'val_bool'],
  uint64: [7, 'val_uint64'],
  pawn: [8, 'val_long'],
  controller: [9, 'val_short'],
} as const;
