/** The most letters by which a mistyped name may differ. */
const NEAR = 4;

/** Returns the known name that differs least from a mistyped one; null if all differ by more than four letters. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [nearest] = known
    .map((other) => ({ other, apart: distance(name, other) }))
    .filter(({ apart }) => apart <= NEAR)
    .toSorted((a, b) => a.apart - b.apart);
  return nearest?.other ?? null;
}

/** Returns the number of letters to insert, delete or change to turn one name into the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    let last = i + 1;
    const next = [last];
    for (const [j, other] of [...b].entries()) {
      last = Math.min(last + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1));
      next.push(last);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
