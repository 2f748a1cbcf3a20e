/** The most letters by which a mistyped name may differ, and the most for each of its letters. */
const NEAR = 4;
const SHARE = 1 / 2;

/**
 * Returns `: did you mean fps?` with the known name that differs least from a mistyped one, whatever the case; an empty
 * text if all differ by more than four letters or half of it.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const [nearest] = known
    .filter((other) => Math.abs(other.length - name.length) <= NEAR)
    .map((other) => ({ other, apart: distance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ apart }) => apart <= Math.min(NEAR, name.length * SHARE))
    .toSorted((a, b) => a.apart - b.apart);
  return nearest ? `: did you mean ${nearest.other}?` : '';
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
