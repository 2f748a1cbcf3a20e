/**
 * Returns `round 3`, `rounds 1 to 12` or `rounds 4, 7 (2) and 9`. `numbers` is ascending; a repeated one is counted.
 */
export function roundList(numbers: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const runs: number[][] = [];
  for (const [number, count] of counts) {
    if (count === 1 && counts.get(number - 1) === 1) runs.at(-1)?.push(number);
    else runs.push([number]);
  }
  const shown = (number: number) => (counts.get(number) === 1 ? `${number}` : `${number} (${counts.get(number)})`);
  const parts = runs.flatMap((run) => (run.length > 2 ? [`${run[0]} to ${run.at(-1)}`] : run.map(shown)));
  return `round${counts.size > 1 ? 's' : ''} ${new Intl.ListFormat('en-GB').format(parts)}`;
}
