import type { Match, Round } from './match.ts';

/** Returns the round of a (fractional) tick: the last one that has started; null before the first. */
export function roundAt({ rounds }: Pick<Match, 'rounds'>, tick: number): Round | null {
  return rounds.findLast(({ startTick }) => startTick <= tick) ?? null;
}
