import { reasonOf } from '../domain/reason.ts';
import type { Log } from '../platform/log.ts';

/** Calls to objects at a time: the platform allows six connections. */
const WIDTH = 6;

/**
 * Does the work for each item, a few at a time; one that fails stops no other. Rejects where the platform allows no
 * more calls: all others would fail alike.
 */
export async function eachOf<T>(log: Log, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        await work(item);
      } catch (error) {
        if (isOutOfCalls(error)) {
          queue.length = 0;
          throw error;
        }
        log('upkeep failed for one item', { item, error: reasonOf(error) });
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: WIDTH }, worker));
  const cut = ended.find((one) => one.status === 'rejected');
  if (cut) throw cut.reason;
}

/** The platform's words. https://developers.cloudflare.com/workers/platform/limits/#subrequests */
export function isOutOfCalls(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes('Too many subrequests') || isOutOfCalls(error.cause);
}
