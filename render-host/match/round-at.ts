import type { Match, Round } from './match.ts';

/** Returns the round that a (fractional) tick lies in: the last one that has started; null before the first. */
export function roundAt({ rounds }: Pick<Match, 'rounds'>, tick: number): Round | null {
  return rounds.findLast(({ startTick }) => startTick <= tick) ?? null;
}
