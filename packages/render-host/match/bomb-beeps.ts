import { BOMB_FUSE_SECONDS } from './game-rules.ts';
import type { MapEffect } from './match.ts';

/** Returns the seconds between two beeps by the seconds left of the fuse: from one beep a second to seven. */
function pauseAt(secondsLeft: number): number {
  return Math.max(0.15, 0.1 + 0.9 * (secondsLeft / BOMB_FUSE_SECONDS));
}

/** Returns the (fractional) ticks at which a planted bomb beeps, faster and faster, until it is defused or explodes. */
export function bombBeeps(
  { startTick, endTick }: Pick<MapEffect, 'startTick' | 'endTick'>,
  tickRate: number,
): number[] {
  const beeps: number[] = [];
  const seconds = Math.min((endTick - startTick) / tickRate, BOMB_FUSE_SECONDS);
  for (let at = 1; at < seconds; at += pauseAt(BOMB_FUSE_SECONDS - at)) beeps.push(startTick + at * tickRate);
  return beeps;
}
