/** The picture options of a job, defaults applied (docs/contract.md 4.1, 2.5). */
export interface CaptureOptions {
  /** Frames a second, 5 to 120. */
  readonly fps: number;
  /** Pixels. 1920×1080 or 2560×1440. */
  readonly width: number;
  readonly height: number;
  /** `spec_show_xray`: outline players whom the point-of-view player does not see. */
  readonly xray: boolean;
  /** `cl_draw_only_deathnotices`: hide the HUD except for the killfeed. */
  readonly onlyDeathnotices: boolean;
  /** Our killfeed replaces the game's: only the point-of-view player's kills, kept across shots. */
  readonly ownKillfeed: boolean;
  /** Damage numbers near the point-of-view player's aim. */
  readonly damageTicker: boolean;
}

/**
 * `full`: the frame of the clip. `plain`: without titles and the darkness of cuts. `live`: also without the progress
 * line, for a player with a timeline. `bare`: also without killfeed and HUD. `cover`: also without names and numbers,
 * with the action where `COVER` has it, if the source can choose.
 */
export type FrameContent = 'full' | 'plain' | 'live' | 'bare' | 'cover';

export function isBare(content: FrameContent): boolean {
  return content === 'bare' || content === 'cover';
}

/**
 * The part of a frame that a cover shows, as parts of the frame's size; and the action's place, as parts of the
 * cover's: below its killfeed, right of its text and of the play button.
 */
export const COVER = { x: 0.02, y: 0.16, size: 0.8, action: { left: 0.63, right: 0.91, top: 0.43, bottom: 0.86 } };
