import type { PlannableMatch, PlannedShot, TickSpan } from './match.ts';
import { ticksOf } from './playable-ticks.ts';

/** Seconds of the game around a kill in which it is slow, and those of a ramp before and after. */
const SLOW = { before: 0.25, after: 0.35, ramp: 0.35 };

/**
 * Slows a shot around its kills that count, by a ramp from its own speed and back. Where the ramps of two kills meet,
 * the shot stays slow.
 */
export function slowKills(match: PlannableMatch, shot: PlannedShot, slowdown: number | null): PlannedShot {
  const own = shot.speeds[0]?.speed ?? 1;
  const kills = shot.kills.filter(({ round }) => round !== null);
  if (slowdown === null || slowdown >= own || kills.length === 0) return shot;
  const ramp = Math.max(1, ticksOf(match, SLOW.ramp));
  const slow: TickSpan[] = [];
  for (const { tick } of kills) {
    const startTick = tick - ticksOf(match, SLOW.before);
    const meets = startTick - ramp <= (slow.at(-1)?.endTick ?? -Infinity) + ramp ? slow.pop() : undefined;
    slow.push({ startTick: meets?.startTick ?? startTick, endTick: tick + ticksOf(match, SLOW.after) });
  }
  const speeds = slow.flatMap(({ startTick, endTick }) => [
    { tick: startTick - ramp, speed: own },
    { tick: startTick, speed: slowdown },
    { tick: endTick, speed: slowdown },
    { tick: endTick + ramp, speed: own },
  ]);
  return { ...shot, speeds };
}
