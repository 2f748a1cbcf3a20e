import { reasonOf } from '../domain/reason.ts';
import type { Log } from '../platform/log.ts';
import { mapFew } from './each-of.ts';

/** Clips of one run of the cron: each is a call of an object, and some of storage. */
export const SWEPT_CLIPS = 600;

/**
 * Does the work for each clip of a page, a few at a time. False where one failed: the page is then done again, by the
 * next run. `not`: what is not done yet, for the log.
 */
export async function sweepPage<T>(
  page: readonly T[],
  work: (clip: T) => Promise<unknown>,
  log: Log,
  not: string,
): Promise<boolean> {
  try {
    await mapFew(page, work);
    return true;
  } catch (error) {
    log(`${not}, and the next run goes on`, { error: reasonOf(error) });
    return false;
  }
}
