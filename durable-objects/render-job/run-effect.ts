import { tierOf } from '../../domain/clip.ts';
import { assertExhaustive } from '../../domain/exhaustive.ts';
import type { Job } from '../../domain/job.ts';
import type { JobEvent } from '../../domain/job-event.ts';
import type { OutsideEffect } from '../../domain/outbox.ts';
import type { Settings } from '../../platform/settings.ts';
import { findSlots } from '../../storage/accounts.ts';
import { abortUpload, deletePrefix } from '../../storage/clip-files.ts';
import type { Databases } from '../../storage/database.ts';
import { insertHostFailure } from '../../storage/hosts.ts';
import { projectJob } from '../../storage/job-index.ts';
import { insertUsage } from '../../storage/usage.ts';
import type { Dispatcher } from '../dispatcher/dispatcher.ts';
import { demoKeyOf } from './demo-key.ts';
import { purgeMedia } from './purge-media.ts';
import type { StoredJob } from './stored-job.ts';

/** What effects reach. */
export interface EffectWorld {
  readonly settings: Pick<Settings, 'mediaBaseUrl' | 'purge' | 'schedule' | 'clipIdSecret'>;
  readonly databases: Databases;
  readonly files: R2Bucket;
  readonly dispatcher: DurableObjectStub<Dispatcher>;
}

/**
 * Carries out one effect for a job as it stands now, and answers with what it tells the job, if anything. Rejects when
 * it could not be done; it is tried again then. `upkeepAt` is when the cron should look after the job, null if nothing
 * about it waits.
 */
export async function runEffect(
  { settings, databases, files, dispatcher }: EffectWorld,
  effect: OutsideEffect,
  stored: StoredJob,
  upkeepAt: number | null,
): Promise<JobEvent | undefined> {
  const { job, request } = stored;
  switch (effect.type) {
    case 'project':
      await projectJob(
        databases.of(job.database),
        job,
        {
          mode: request.timeline ? 'timeline' : 'round',
          fps: request.fps ?? null,
        },
        upkeepAt,
      );
      return;
    case 'offer': {
      if (await isRefusedByAll(job, dispatcher)) return { type: 'no-build-left' };
      const { id, accountId, priority, avoidHost } = job;
      const slots = priority ? await findSlots(databases.home, accountId) : null;
      const avoid = { avoidHost, avoidMs: settings.schedule.avoidFor };
      const demoKey = await demoKeyOf(settings.clipIdSecret, accountId, request.demo_url);
      const work = { jobId: id, accountId, tier: tierOf(priority), slots, demoKey };
      await dispatcher.offer({ ...work, ...avoid, ...needOf(job) });
      return;
    }
    case 'started':
      await dispatcher.started(job.id, job.lease?.hostId);
      return;
    case 'settle': {
      const { end } = effect;
      await dispatcher.settle(job.id, end);
      if (end && end.code !== null) {
        await insertHostFailure(databases.home, {
          hostId: end.hostId,
          failedAt: end.at,
          jobId: job.id,
          code: end.code,
        });
      }
      return job.status === 'retrying' && (await isRefusedByAll(job, dispatcher))
        ? { type: 'no-build-left' }
        : undefined;
    }
    case 'meter':
      await insertUsage(databases.of(job.database), { jobId: job.id, accountId: job.accountId, ...effect.usage });
      return;
    case 'delete-files':
      // In this order: a cache that asks again in between finds nothing to keep.
      await deletePrefix(files, effect.prefix);
      await purgeMedia(settings, effect.prefix);
      return;
    case 'abort-uploads':
      await Promise.all(effect.uploads.map((upload) => abortUpload(files, upload)));
      return;
    default:
      return assertExhaustive(effect);
  }
}

function needOf({ resolution, fps, renderer, refusedBuilds, labels }: Job) {
  return { resolution, fps, renderer, refusedBuilds, labels };
}

/** Whether no host is known of late whose build has not refused the job's demo. */
async function isRefusedByAll(job: Job, dispatcher: EffectWorld['dispatcher']): Promise<boolean> {
  return job.refusedBuilds.length > 0 && !(await dispatcher.hasKindFor(needOf(job)));
}
