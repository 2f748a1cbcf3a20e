import { fuseOf } from './game-rules.ts';
import type { MapEffect } from './match.ts';

/** Returns the seconds between two beeps by the part of the fuse that is left: from one beep a second to seven. */
function pauseAt(left: number): number {
  return Math.max(0.15, 0.1 + 0.9 * left);
}

/** Returns the (fractional) ticks at which a planted bomb beeps, faster and faster, until it is defused or explodes. */
export function bombBeeps(bomb: Pick<MapEffect, 'startTick' | 'endTick' | 'fuseSeconds'>, tickRate: number): number[] {
  const { startTick, endTick } = bomb;
  const fuse = fuseOf(bomb);
  const beeps: number[] = [];
  const seconds = Math.min((endTick - startTick) / tickRate, fuse);
  for (let at = 1; at < seconds; at += pauseAt(1 - at / fuse)) beeps.push(startTick + at * tickRate);
  return beeps;
}
