/** Whether a version is older than the least that is asked for, such as 1.4.0. What is no version is the oldest. */
export function isOlder(version: string, least: string): boolean {
  const have = numbersOf(version);
  const want = numbersOf(least) ?? [];
  if (have === null) return true;
  const differing = want.findIndex((number, i) => number !== (have[i] ?? 0));
  return differing >= 0 && (have[differing] ?? 0) < (want[differing] ?? 0);
}

/** Of 1.4.0, and of 1.4.0-rc.1 alike. */
function numbersOf(version: string): readonly number[] | null {
  const [, numbers] = /^v?(\d+(?:\.\d+){0,2})(?:[-+].*)?$/.exec(version) ?? [];
  return numbers === undefined ? null : numbers.split('.').map(Number);
}
