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
 * `full`: the frame of the clip. `plain`: without titles and the darkness of cuts. `bare`: also without killfeed and
 * HUD. `cover`: also without names and numbers, with the action where `COVER` has it, if the source can choose.
 */
export type FrameContent = 'full' | 'plain' | 'bare' | 'cover';

export function isBare(content: FrameContent): boolean {
  return content === 'bare' || content === 'cover';
}

/**
 * The part of a frame that a cover shows, as parts of the frame's size; and the action's place, as parts of the
 * cover's: below its killfeed, right of its text and of the play button.
 */
export const COVER = { x: 0.02, y: 0.16, size: 0.8, action: { left: 0.63, right: 0.91, top: 0.43, bottom: 0.86 } };

/**
 * The frames of the shots, in order: frame `n` of the clip, for each `n` from 0 to `frameCount - 1`. Each is `width ×
 * height` RGBA, 8 bits a channel, top row first, and belongs to the consumer until it asks for the next.
 */
export interface FrameSource {
  readonly frameCount: number;
  /** Ends early, without an error, once the signal aborts. Throws if drawing or reading the footage fails. */
  frames(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Returns one frame, for the thumbnail. Rejects when `frames` would throw. */
  frame(index: number, content?: FrameContent): Promise<Uint8Array>;
  /** Stops drawing in advance, for a caller that did not use the frames. */
  close?(): Promise<void>;
}

/** The sound of one shot. Cut, or extended by silence, to `seconds`, so that sound and picture stay in step. */
export interface ShotSound {
  /** A file that ffmpeg reads; null for a shot without one. */
  readonly path: string | null;
  /** Returns interleaved stereo at 48 kHz, part by part, for a shot without a file. */
  readonly parts?: () => Iterable<Float32Array>;
  /** Seconds of silence before it, for a shot whose start could not be recorded. */
  readonly delaySeconds?: number;
  readonly seconds: number;
  /** Parts of the file, each of which is played over `seconds` of the clip. The whole file as it is if absent. */
  readonly pieces?: readonly { readonly fromSeconds: number; readonly toSeconds: number; readonly seconds: number }[];
}
