/** Returns the round of a (fractional) tick: the last one that has started; null before the first. */
export function roundAt<Round extends { readonly startTick: number }>(
  { rounds }: { readonly rounds: readonly Round[] },
  tick: number,
): Round | null {
  return rounds.findLast(({ startTick }) => startTick <= tick) ?? null;
}
