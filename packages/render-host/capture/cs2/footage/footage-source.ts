import type { CaptureOptions } from '#scene/frames/capture-options.ts';
import { createClipClock } from '#scene/frames/clip-clock.ts';
import type { FrameSource } from '../../../frames/frame-source.ts';
import type { Match } from '../../../match/match.ts';
import { type DecodeInput, decodeFrames } from '../recording/decode-frames.ts';
import type { Footage } from '../recording/footage-files.ts';

/** A recorder may lose the last frames of a take. The last frame it has is then repeated, for this long at most. */
const MAX_STILL_SECONDS = 0.5;

/**
 * Returns the frames of footage as frames of a clip: for each shot exactly as many as its length needs. Each shows the
 * film's frame that is nearest by the clip's clock, so frames are skipped or repeated where the speeds of both differ.
 * The nearest frame also fills what the game could not record at the very start or end of a demo.
 */
export function createFootageSource(
  ffmpegPath: string,
  match: Pick<Match, 'tickRate'>,
  footage: readonly Pick<Footage, 'recorded' | 'videoPath'>[],
  { width, height, fps }: CaptureOptions,
): FrameSource {
  const clock = createClipClock(
    footage.map(({ recorded }) => recorded.shot),
    match.tickRate,
    fps,
  );
  const shots = footage.map(({ recorded, videoPath }, index) => {
    const first = clock.shotStarts[index] ?? 0;
    const end = clock.shotStarts[index + 1] ?? clock.frameCount;
    // Between two frames, the last digit of the tick must not choose, or the steps of a steady speed are uneven.
    const filmed = (ticks: number): number => Math.round((ticks / match.tickRate) * recorded.fps + 1e-6);
    /** Returns the film's frame that a frame of the clip shows. */
    const pick = (frame: number): number => Math.max(filmed(clock.at(frame).tick - recorded.startTick), 0);
    const missingAtEnd = Math.max(filmed(recorded.shot.endTick - recorded.endTick), 0);
    const decode: Omit<DecodeInput, 'limit'> = { ffmpegPath, path: videoPath, width, height };
    const allowed = missingAtEnd + Math.ceil(MAX_STILL_SECONDS * recorded.fps);
    return { first, end, pick, allowed, decode, fps: recorded.fps };
  });

  async function* shotFrames({ first, end, pick, allowed, decode }: (typeof shots)[number], signal: AbortSignal) {
    const wanted = pick(end - 1) + 1;
    let next = first;
    let read = 0;
    let kept: Uint8Array | null = null;
    for await (const frame of decodeFrames({ ...decode, limit: wanted }, signal)) {
      const since = next;
      while (next < end && pick(next) <= read) next++;
      read++;
      // A consumer paints into its frame, so a frame that is shown again is copied first.
      if (next - since > 1 || read >= wanted - allowed) kept = frame.slice();
      for (let i = since + 1; i < next && kept !== null; i++) yield kept.slice();
      if (next > since) yield frame;
    }
    if (signal.aborted) return;
    if (read < wanted - allowed || kept === null) throw new Error(`the footage has ${read} of ${wanted} frames`);
    for (; next < end; next++) yield kept.slice();
  }

  return {
    frameCount: clock.frameCount,
    async *frames(signal) {
      for (const shot of shots) {
        if (signal.aborted) return;
        yield* shotFrames(shot, signal);
      }
    },
    async frame(index) {
      const { shotIndex } = clock.at(index);
      const shot = shots[shotIndex];
      if (shot === undefined) throw new RangeError(`no shot ${shotIndex}`);
      const wanted = shot.pick(index);
      for (const at of [wanted, wanted - shot.allowed, 0]) {
        // A quarter of a frame early, because file formats round times.
        const fromSeconds = Math.max(0, (at - 0.25) / shot.fps);
        const frames = decodeFrames({ ...shot.decode, fromSeconds, limit: 1 }, new AbortController().signal);
        for await (const frame of frames) return frame;
      }
      throw new Error(`frame ${index} is not in the footage`);
    },
  };
}
