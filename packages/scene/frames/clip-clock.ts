import { shotFrameCount } from '#domain/plan/clip-length.ts';
import { secondAt, shotSeconds, tickAt } from '#domain/plan/shot-time.ts';
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
