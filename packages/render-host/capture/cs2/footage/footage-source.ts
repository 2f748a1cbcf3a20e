import { createClipClock } from '../../../frames/clip-clock.ts';
import type { CaptureOptions, FrameSource } from '../../../frames/frame-source.ts';
import type { Match } from '../../../match/match.ts';
import { type DecodeInput, decodeFrames } from '../recording/decode-frames.ts';
import type { Footage } from '../recording/footage-files.ts';

/** A recorder may lose the last frames of a take. The last frame it has is then repeated, for this long at most. */
const MAX_STILL_SECONDS = 0.5;

/**
 * Returns the frames of footage as frames of a clip: for each shot exactly as many as its length needs. The nearest
 * frame fills what the game could not record at the very start or end of a demo.
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
  const framesOf = (ticks: number): number => Math.round((ticks / match.tickRate) * fps);
  const shots = footage.map(({ recorded, videoPath }, index) => {
    const count = (clock.shotStarts[index + 1] ?? clock.frameCount) - (clock.shotStarts[index] ?? 0);
    const missingAtStart = Math.min(framesOf(recorded.startTick - recorded.shot.startTick), count - 1);
    const missingAtEnd = Math.max(framesOf(recorded.shot.endTick - recorded.endTick), 0);
    const decode: Omit<DecodeInput, 'limit'> = { ffmpegPath, path: videoPath, width, height };
    const allowed = missingAtEnd + Math.ceil(MAX_STILL_SECONDS * fps);
    return { count, missingAtStart, allowed, decode };
  });

  async function* shotFrames({ count, missingAtStart, allowed, decode }: (typeof shots)[number], signal: AbortSignal) {
    const wanted = count - missingAtStart;
    let read = 0;
    let kept: Uint8Array | null = null;
    for await (const frame of decodeFrames({ ...decode, limit: wanted }, signal)) {
      // A consumer paints into its frame, so a frame that is shown again is copied first.
      if ((read === 0 && missingAtStart > 0) || read >= wanted - allowed - 1) kept = frame.slice();
      if (read === 0) for (let i = 0; i < missingAtStart && kept !== null; i++) yield kept.slice();
      read++;
      yield frame;
    }
    if (signal.aborted) return;
    if (read < wanted - allowed || kept === null) throw new Error(`the footage has ${read} of ${wanted} frames`);
    for (; read < wanted; read++) yield kept.slice();
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
      const wanted = Math.max(index - (clock.shotStarts[shotIndex] ?? 0) - shot.missingAtStart, 0);
      for (const at of [wanted, wanted - shot.allowed, 0]) {
        // A quarter of a frame early, because file formats round times.
        const fromSeconds = Math.max(0, (at - 0.25) / fps);
        const frames = decodeFrames({ ...shot.decode, fromSeconds, limit: 1 }, new AbortController().signal);
        for await (const frame of frames) return frame;
      }
      throw new Error(`frame ${index} is not in the footage`);
    },
  };
}
