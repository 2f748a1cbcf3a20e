import { knownTo } from '#domain/outbox.ts';
import type { JobInclude, QueuePlace } from '#protocol/job-detail.ts';
import type { Dispatchers } from '../dispatcher/dispatchers.ts';
import type { StoredJob } from './stored-job.ts';

/** Where a job waits, as its dispatcher has it; null where it does not wait, or nobody wants to know or can say. */
export async function queuePlaceOf(
  include: readonly JobInclude[],
  stored: Pick<StoredJob, 'job' | 'outbox'> | null,
  dispatchers: Pick<Dispatchers, 'at'>,
): Promise<QueuePlace | null> {
  if (!include.includes('queue') || stored?.job.status !== 'pending') return null;
  const offer = stored.outbox.find(({ effect }) => effect.type === 'offer');
  const [shard] = offer ? knownTo(offer.effect) : [];
  if (shard === undefined) return null;
  const place = await dispatchers
    .at(shard)
    .placeOf(stored.job.id)
    // It is only of interest: nobody is refused the job for that.
    .catch(() => null);
  return place && { position: place.position, estimate_s: place.estimateS };
}
