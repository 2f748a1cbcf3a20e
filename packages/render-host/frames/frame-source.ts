import type { FrameContent } from '#scene/frames/clip-clock.ts';

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

/** Returns a source with each frame painted over in place: a frame belongs to its consumer until the next one. */
export function paintedOver(
  source: FrameSource,
  paint: (frame: Uint8Array, index: number, content: FrameContent) => void,
): FrameSource {
  return {
    frameCount: source.frameCount,
    async *frames(signal) {
      let index = 0;
      for await (const frame of source.frames(signal)) {
        paint(frame, index++, 'full');
        yield frame;
      }
    },
    async frame(index, content = 'full') {
      const frame = await source.frame(index, content);
      paint(frame, index, content);
      return frame;
    },
  };
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
