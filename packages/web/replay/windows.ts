import type { TickSpan } from '#domain/clip/plan/match.ts';

/** Seconds of a window, and seconds before and after it that its picture depends on: killfeed, camera. */
const SECONDS = { shown: 10, before: 6, after: 3 };

/** A part of a replay that is loaded and prepared at once. */
export interface ReplayWindow {
  readonly shown: TickSpan;
  /** The ticks that its picture depends on. */
  readonly needed: TickSpan;
}

/** Returns the window of a tick. The windows of a shot are as long as each other, except for the last. */
export function windowAt({ startTick, endTick }: TickSpan, tick: number, tickRate: number): ReplayWindow {
  const length = SECONDS.shown * tickRate;
  // The end of a shot belongs to its last window.
  const most = Math.max(0, Math.ceil((endTick - startTick) / length) - 1);
  const start = startTick + length * Math.min(Math.max(0, Math.floor((tick - startTick) / length)), most);
  const shown = { startTick: start, endTick: Math.min(start + length, endTick) };
  return {
    shown,
    needed: {
      startTick: Math.max(startTick, shown.startTick - SECONDS.before * tickRate),
      endTick: Math.min(endTick, shown.endTick + SECONDS.after * tickRate),
    },
  };
}
