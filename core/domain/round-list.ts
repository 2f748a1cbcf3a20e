/**
 * Returns `round 3`, `rounds 1 to 12` or `rounds 4, 7 (2) and 9`. `numbers` is ascending; a repeated one is counted.
 */
export function roundList(numbers: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  const runs: [number, number][] = [];
  for (const number of counts.keys()) {
    const run = runs.at(-1);
    if (run !== undefined && number === run[1] + 1 && counts.get(number) === 1 && counts.get(run[1]) === 1)
      run[1] = number;
    else runs.push([number, number]);
  }
  const parts = runs.flatMap(([from, to]) => {
    if (to > from + 1) return [`${from} to ${to}`];
    return (to > from ? [from, to] : [from]).map((number) => {
      const count = counts.get(number) ?? 1;
      return count > 1 ? `${number} (${count})` : `${number}`;
    });
  });
  const last = parts.at(-1) ?? '';
  const list = parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
  return `round${counts.size > 1 ? 's' : ''} ${list}`;
}
