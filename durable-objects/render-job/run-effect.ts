import { tierOf } from '../../domain/clip.ts';
import { assertExhaustive } from '../../domain/exhaustive.ts';
import type { OutsideEffect } from '../../domain/outbox.ts';
import type { Settings } from '../../platform/settings.ts';
import { findSlots } from '../../storage/accounts.ts';
import { abortUpload, deletePrefix } from '../../storage/clip-files.ts';
import type { Databases } from '../../storage/database.ts';
import { projectJob } from '../../storage/job-index.ts';
import { insertUsage } from '../../storage/usage.ts';
import type { Dispatcher } from '../dispatcher/dispatcher.ts';
import { purgeMedia } from './purge-media.ts';
import type { StoredJob } from './stored-job.ts';

/** What effects reach. */
export interface EffectWorld {
  readonly settings: Pick<Settings, 'mediaBaseUrl' | 'purge' | 'schedule'>;
  readonly databases: Databases;
  readonly files: R2Bucket;
  readonly dispatcher: DurableObjectStub<Dispatcher>;
}

/**
 * Carries out one effect for a job as it stands now. Rejects when it could not be done; it is tried again then.
 * `upkeepAt` is when the cron should look after the job, null if nothing about it waits.
 */
export async function runEffect(
  { settings, databases, files, dispatcher }: EffectWorld,
  effect: OutsideEffect,
  stored: StoredJob,
  upkeepAt: number | null,
): Promise<void> {
  const { job, request } = stored;
  switch (effect.type) {
    case 'project':
      return projectJob(
        databases.of(job.database),
        job,
        {
          mode: request.timeline ? 'timeline' : 'round',
          fps: request.fps ?? null,
        },
        upkeepAt,
      );
    case 'offer': {
      const { id, accountId, priority, fps, resolution, avoidHost } = job;
      const slots = priority ? await findSlots(databases.home, accountId) : null;
      const avoid = { avoidHost, avoidMs: settings.schedule.avoidFor };
      return dispatcher.offer({ jobId: id, accountId, tier: tierOf(priority), resolution, fps, slots, ...avoid });
    }
    case 'started':
      return dispatcher.started(job.id, job.lease?.hostId);
    case 'settle':
      return dispatcher.settle(job.id);
    case 'meter':
      return insertUsage(databases.of(job.database), { jobId: job.id, accountId: job.accountId, ...effect.usage });
    case 'delete-files':
      // In this order: a cache that asks again in between finds nothing to keep.
      await deletePrefix(files, effect.prefix);
      return purgeMedia(settings, effect.prefix);
    case 'abort-uploads':
      await Promise.all(effect.uploads.map((upload) => abortUpload(files, upload)));
      return;
    default:
      return assertExhaustive(effect);
  }
}
