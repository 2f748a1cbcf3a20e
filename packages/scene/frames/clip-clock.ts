import { shotFrameCount } from '#domain/clip/plan/clip-length.ts';
import { secondAt, shotSeconds, tickAt } from '#domain/clip/plan/shot-time.ts';
import type { RenderOrder } from '#domain/clip/render-order.ts';
import type { Shot } from '../plan/shot.ts';

/** The position of a frame: its shot, and its (fractional) demo tick. */
export interface ClipTime {
  readonly shotIndex: number;
  readonly tick: number;
  /** Seconds since the shot began, and until it ends. */
  readonly sinceShotStart: number;
  readonly untilShotEnd: number;
}

export interface ClipClock {
  readonly frameCount: number;
  /** First frame of each shot. */
  readonly shotStarts: readonly number[];
  at(frame: number): ClipTime;
  /** Returns the frame that shows `tick` of a shot, clamped to the shot. */
  frameOf(shotIndex: number, tick: number): number;
}

/** Maps frames to demo ticks. Shots follow each other without a gap; frame `n` of a shot shows its second `n / fps`. */
export function createClipClock(shots: readonly Shot[], tickRate: number, fps: number): ClipClock {
  const starts: number[] = [];
  let frameCount = 0;
  for (const shot of shots) {
    starts.push(frameCount);
    frameCount += shotFrameCount(shot, tickRate, fps);
  }
  const shotAt = (index: number): Shot => {
    const shot = shots[index];
    if (shot === undefined) throw new RangeError(`no shot ${index}`);
    return shot;
  };
  return {
    frameCount,
    shotStarts: starts,
    at(frame) {
      if (!Number.isInteger(frame) || frame < 0 || frame >= frameCount) throw new RangeError(`no frame ${frame}`);
      let shotIndex = starts.length - 1;
      while ((starts[shotIndex] ?? 0) > frame) shotIndex--;
      const shot = shotAt(shotIndex);
      const sinceShotStart = (frame - (starts[shotIndex] ?? 0)) / fps;
      return {
        shotIndex,
        tick: tickAt(shot, sinceShotStart, tickRate),
        sinceShotStart,
        untilShotEnd: Math.max(0, shotSeconds(shot, tickRate) - sinceShotStart),
      };
    },
    frameOf(shotIndex, tick) {
      const shot = shotAt(shotIndex);
      const last = shotFrameCount(shot, tickRate, fps) - 1;
      const offset = Math.round(secondAt(shot, tick, tickRate) * fps);
      return (starts[shotIndex] ?? 0) + Math.min(Math.max(offset, 0), last);
    },
  };
}

/** The picture options of a job, defaults applied (docs/contract.md 4.1, 2.5). */
export interface CaptureOptions
  extends Pick<RenderOrder, 'fps' | 'xray' | 'onlyDeathnotices' | 'ownKillfeed' | 'damageTicker'> {
  /** Pixels, such as 1920×1080. */
  readonly width: number;
  readonly height: number;
  /** Whether the game must show no name of its own. */
  readonly hidesNames?: boolean;
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
 * cover's: below its killfeed, right of its text and of the play button. `narrow`: the action's place in other
 * shapes, above the text.
 */
export const COVER = {
  x: 0.02,
  y: 0.16,
  size: 0.8,
  action: { left: 0.63, right: 0.91, top: 0.43, bottom: 0.86 },
  narrow: { left: 0.62, right: 0.92, top: 0.36, bottom: 0.62 },
};
