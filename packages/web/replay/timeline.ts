import { secondAt, shotSeconds, type TimedShot, tickAt } from '#domain/clip/plan/shot-time.ts';

/** The time of a replay in seconds, and the ticks that it shows. */
export interface Timeline {
  readonly seconds: number;
  at(second: number): { readonly shot: number; readonly tick: number };
  /** Returns the second that shows a tick first; that of the nearest shown tick if none does. */
  secondOf(tick: number): number;
}

/** Places shots one after the other. Their speeds count, so a second is that of the clip without its cards. */
export function createTimeline(shots: readonly TimedShot[], tickRate: number): Timeline {
  const starts: number[] = [];
  let seconds = 0;
  for (const shot of shots) {
    starts.push(seconds);
    seconds += shotSeconds(shot, tickRate);
  }
  return {
    seconds,
    at(second) {
      const shot = Math.max(
        starts.findLastIndex((start) => start <= second),
        0,
      );
      const shown = shots[shot];
      const tick = shown ? tickAt(shown, Math.max(0, second - (starts[shot] ?? 0)), tickRate) : 0;
      return { shot, tick };
    },
    secondOf(tick) {
      let nearest = { second: 0, away: Infinity };
      for (const [index, shot] of shots.entries()) {
        const shown = Math.min(Math.max(tick, shot.startTick), shot.endTick);
        const away = Math.abs(tick - shown);
        if (away >= nearest.away) continue;
        nearest = { second: (starts[index] ?? 0) + secondAt(shot, shown, tickRate), away };
      }
      return nearest.second;
    },
  };
}
