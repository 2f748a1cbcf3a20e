import type { ReadyRow } from './queue-tables.ts';

/** How many jobs behind the next one are looked at for one whose demo the host has. */
export const LOOK_FOR_DEMO = 8;
/** How often a job lets others of its account go first for that. */
const MOST_PASSED = 4;

/**
 * A job of the account whose turn it is, close behind its first, of a demo that the host has; null where the first is
 * such a one itself, has waited for enough others, or there is none. `near`: the next jobs behind the first.
 */
export function keptInstead(
  first: ReadyRow,
  demoKeys: readonly string[],
  near: () => readonly ReadyRow[],
  isFree: (row: ReadyRow) => boolean,
): ReadyRow | null {
  const isKept = ({ demo_key }: ReadyRow) => demo_key !== null && demoKeys.includes(demo_key);
  if (demoKeys.length === 0 || isKept(first) || first.passed >= MOST_PASSED) return null;
  return near().find((row) => row.account_id === first.account_id && isKept(row) && isFree(row)) ?? null;
}
