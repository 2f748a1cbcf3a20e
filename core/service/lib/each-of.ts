import { reasonOf } from '#domain/lib/text.ts';
import type { Log } from '#platform/log.ts';

/** Concurrent calls of objects and storage: the platform allows six connections. */
const WIDTH = 6;

/**
 * Does the work for each item, a few at a time, and returns the results in the order of `items`. After a rejection it
 * begins no more, and rejects once the work under way has ended.
 */
export async function mapFew<T, Made>(items: readonly T[], work: (item: T) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, item] = next;
      try {
        made[index] = await work(item);
      } catch (error) {
        queue.length = 0;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: WIDTH }, worker));
  const cut = ended.find((one) => one.status === 'rejected');
  if (cut) throw cut.reason;
  return made;
}

/** Calls objects, a few at a time. Returns answers in the order of `items`; null if a call fails. */
export function askAll<Item, T>(items: readonly Item[], ask: (item: Item) => Promise<T>): Promise<(T | null)[]> {
  return mapFew(items, (item) => ask(item).catch(() => null));
}

/**
 * Does the work for each item, a few at a time. An item that fails does not stop the others. Resolves with the items
 * that failed. Rejects if the platform allows no more calls: all other items would fail too.
 */
export async function eachOf<T>(log: Log, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<T[]> {
  const failed: T[] = [];
  await mapFew(items, async (item) => {
    try {
      await work(item);
    } catch (error) {
      if (isOutOfCalls(error)) throw error;
      log('upkeep failed for one item', { item, error: reasonOf(error) });
      failed.push(item);
    }
  });
  return failed;
}

/** Asks about each item like `eachOf`. Resolves with the items for which the answer is true. */
export async function eachThat<T>(log: Log, items: readonly T[], ask: (item: T) => Promise<boolean>): Promise<T[]> {
  const found: T[] = [];
  await eachOf(log, items, async (item) => {
    if (await ask(item)) found.push(item);
  });
  return found;
}

/** The error of a step that has made as many statements as its turn has. */
export const TURN_IS_OVER = 'Too many statements in one turn';

/**
 * Recognizes the error of a turn, and those of the platform for subrequests and for statements, by their text.
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export function isOutOfCalls(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOut = /Too many (subrequests|API requests by single worker)/i.test(error.message);
  return isOut || error.message.includes(TURN_IS_OVER) || isOutOfCalls(error.cause);
}
