import { placedIn } from '#platform/placed-in.ts';
import type { Settings } from '#platform/settings.ts';
import type { ObjectBindings, PurgeQueueStub } from '#rpc/bindings.ts';

/** Returns the only purge queue: Cloudflare counts the purges of an account together. */
export function purgeQueueOf(
  env: Pick<ObjectBindings, 'PURGE_QUEUE'>,
  { place }: Pick<Settings, 'place'>,
): PurgeQueueStub {
  return placedIn(env.PURGE_QUEUE, place).getByName('purges');
}
