/** Whether a version is lower than the required one, such as 1.4.0. A text that is no version is the lowest. */
export function isOlder(version: string, least: string): boolean {
  const have = numbersOf(version);
  const want = numbersOf(least) ?? [];
  if (have === null) return true;
  const differing = want.findIndex((number, i) => number !== (have[i] ?? 0));
  return differing >= 0 && (have[differing] ?? 0) < (want[differing] ?? 0);
}

/** Returns the numbers of a version: 1.4.0 and 1.4.0-rc.1 give the same. Null for anything else. */
function numbersOf(version: string): readonly number[] | null {
  const [, numbers] = /^v?(\d+(?:\.\d+){0,2})(?:[-+].*)?$/.exec(version) ?? [];
  return numbers === undefined ? null : numbers.split('.').map(Number);
}
