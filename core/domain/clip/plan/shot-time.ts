import type { PlannedShot, TickSpan } from './match.ts';

/** Ticks of a shot as seconds of the clip, and back: closed forms, inverse to each other. */

export type TimedShot = Pick<PlannedShot, 'startTick' | 'endTick' | 'speeds'>;

/** A part of a shot in which speed is linear, from its start to its end. */
export interface Stretch extends TickSpan {
  readonly from: number;
  readonly to: number;
}

/** Cuts a shot at its changes of speed. */
export function stretchesOf({ startTick, endTick, speeds }: TimedShot): Stretch[] {
  const inner = speeds.filter(({ tick }) => tick > startTick && tick < endTick);
  let from = { tick: startTick, speed: speedAt(speeds, startTick) };
  return [...inner, { tick: endTick, speed: speedAt(speeds, endTick) }].map((to) => {
    const stretch = { startTick: from.tick, endTick: to.tick, from: from.speed, to: to.speed };
    from = to;
    return stretch;
  });
}

/** Returns the lowest speed of a shot. */
export function lowestSpeed(shot: TimedShot): number {
  return Math.min(...stretchesOf(shot).flatMap(({ from, to }) => [from, to]));
}

export function shotSeconds(shot: TimedShot, tickRate: number): number {
  return secondAt(shot, shot.endTick, tickRate);
}

/** Returns the second of a (fractional) tick, from the start of the shot. Ticks outside of the shot have one, too. */
export function secondAt({ startTick, speeds }: TimedShot, tick: number, tickRate: number): number {
  const isBefore = tick < startTick;
  const span = isBefore ? { startTick: tick, endTick: startTick } : { startTick, endTick: tick };
  const ticks = stretchesOf({ ...span, speeds }).reduce((sum, stretch) => sum + realTicks(stretch), 0);
  return (isBefore ? -ticks : ticks) / tickRate;
}

/** Returns the (fractional) tick that a second of the shot shows, at most the end of the shot. */
export function tickAt(shot: TimedShot, second: number, tickRate: number): number {
  let rest = second * tickRate;
  for (const stretch of stretchesOf(shot)) {
    const { startTick, endTick, from, to } = stretch;
    const ticks = realTicks(stretch);
    if (rest < ticks) {
      const growth = (to - from) / (endTick - startTick);
      const passed = growth === 0 ? rest * from : (from * Math.expm1(growth * rest)) / growth;
      return Math.min(startTick + passed, endTick);
    }
    rest -= ticks;
  }
  return shot.endTick;
}

/** Returns how many ticks pass in real time during a stretch: the integral of 1 / speed. */
function realTicks({ startTick, endTick, from, to }: Stretch): number {
  const ticks = endTick - startTick;
  return from === to ? ticks / from : (ticks * Math.log1p((to - from) / from)) / (to - from);
}

function speedAt(speeds: TimedShot['speeds'], tick: number): number {
  const before = speeds.findLast((one) => one.tick <= tick);
  const after = speeds.find((one) => one.tick > tick);
  if (before === undefined || after === undefined) return (before ?? after)?.speed ?? 1;
  return before.speed + ((after.speed - before.speed) * (tick - before.tick)) / (after.tick - before.tick);
}
