/** The picture options of a job, defaults applied (docs/contract.md 4.1, 2.5). */
export interface CaptureOptions {
  /** Frames a second, 5 to 120. */
  readonly fps: number;
  /** Pixels. 1920×1080 or 2560×1440. */
  readonly width: number;
  readonly height: number;
  /** `spec_show_xray`: outline players whom the point-of-view player cannot see. */
  readonly xray: boolean;
  /** `cl_draw_only_deathnotices`: nothing of the HUD but the killfeed. */
  readonly onlyDeathnotices: boolean;
  /** Our own killfeed in place of the game's: the POV player's kills only, kept across shots. */
  readonly ownKillfeed: boolean;
  /** Damage numbers near the POV player's aim. */
  readonly damageTicker: boolean;
}

/**
 * `full`: the frame as the clip shows it. `plain`: the same without what comes and goes around cuts (titles, darkness).
 * `bare`: the action alone, without killfeed, titles and HUD.
 */
export type FrameContent = 'full' | 'plain' | 'bare';

/**
 * The frames of the shots, in order: frame `n` of the clip, for every `n` from 0 to `frameCount - 1`. Each frame is
 * `width × height` RGBA, 8 bits a channel, rows top down, and is the consumer's only until it asks for the next.
 */
export interface FrameSource {
  readonly frameCount: number;
  /**
   * Ends early, without an error, once the signal is aborted. Throws when the drawing, or reading the footage, fails.
   */
  frames(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** One frame alone, as the thumbnail needs it. Rejects where `frames` would throw. */
  frame(index: number, content?: FrameContent): Promise<Uint8Array>;
  /** Ends what draws ahead, where there is such a thing and nobody came for its frames. */
  close?(): Promise<void>;
}

/**
 * The sound of one shot. Cut, or filled up with silence, to `seconds`, so that sound and picture of a clip never part.
 */
export interface ShotSound {
  /** A file that ffmpeg reads; null for a shot without sound. */
  readonly path: string | null;
  /** Silence before it, for a shot whose start could not be recorded; in seconds. */
  readonly delaySeconds?: number;
  readonly seconds: number;
}
