import { tierOf } from '../../domain/clip.ts';
import { assertExhaustive } from '../../domain/exhaustive.ts';
import { knownTo, type OutsideEffect } from '../../domain/outbox.ts';
import type { Settings } from '../../platform/settings.ts';
import { findSlots } from '../../storage/accounts.ts';
import { abortUpload, deletePrefix } from '../../storage/clip-files.ts';
import type { Databases } from '../../storage/database.ts';
import { projectJob } from '../../storage/job-index.ts';
import { insertUsage } from '../../storage/usage.ts';
import type { Dispatchers } from '../dispatcher/dispatchers.ts';
import { purgeMedia } from './purge-media.ts';
import type { StoredJob } from './stored-job.ts';

/** What effects reach. */
export interface EffectWorld {
  readonly settings: Pick<Settings, 'mediaBaseUrl' | 'purge' | 'schedule'>;
  readonly databases: Databases;
  readonly files: R2Bucket;
  readonly dispatchers: Dispatchers;
}

/**
 * Carries out one effect for a job as it stands now. Rejects when it could not be done; it is tried again then.
 * `upkeepAt` is when the cron should look after the job, null if nothing about it waits. Gives the effect as it is to
 * be repeated, where that is another.
 */
export async function runEffect(
  { settings, databases, files, dispatchers }: EffectWorld,
  effect: OutsideEffect,
  stored: StoredJob,
  upkeepAt: number | null,
): Promise<OutsideEffect | undefined> {
  const { job, request } = stored;
  const settleAt = (shards: readonly number[]) =>
    Promise.all(shards.map((shard) => dispatchers.at(shard).settle(job.id)));
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
      const { id, accountId, priority, fps, resolution, avoidHost } = job;
      const known = knownTo(effect);
      // Rather where it waited than where its host was at home.
      const shard = dispatchers.placeOf(job, known.toReversed());
      // Before the job waits anew: once a host has it, nobody would tell these any more.
      await settleAt(known.filter((other) => other !== shard));
      const slots = priority ? await findSlots(databases.home, accountId) : null;
      const avoid = { avoidHost, avoidMs: settings.schedule.avoidFor };
      const offer = { jobId: id, accountId, tier: tierOf(priority), resolution, fps, slots, ...avoid };
      dispatchers.note(shard, await dispatchers.at(shard).offer(offer));
      return { ...effect, shards: [shard] };
    }
    case 'started': {
      const shards = knownTo(effect);
      // A host's slots are counted at its home, which is the first.
      const [home] = shards;
      await Promise.all(
        shards.map((shard) => dispatchers.at(shard).started(job.id, shard === home ? job.lease?.hostId : undefined)),
      );
      return;
    }
    case 'settle':
      await settleAt(knownTo(effect));
      return;
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
