import type { AddressPolicy } from '#domain/address-policy.ts';
import { tierOf } from '#domain/clip.ts';
import { assertExhaustive } from '#domain/exhaustive.ts';
import { idleSince, spareSince } from '#domain/forget.ts';
import { type Job, leaseOf } from '#domain/job.ts';
import type { Need } from '#domain/need.ts';
import { type EffectOutcome, knownTo, type OutsideEffect } from '#domain/outbox.ts';
import { type PublicRecord, recordOf } from '#domain/public-record.ts';
import { pictureOf } from '#domain/render-order.ts';
import { placedIn } from '#platform/placed-in.ts';
import type { Settings } from '#platform/settings.ts';
import type { DispatcherStub, ObjectBindings } from '#rpc/bindings.ts';
import { createDispatchers, type Dispatchers } from '#service/dispatchers.ts';
import { findSlots, findViewing } from '#storage/accounts.ts';
import { abortUpload, deletePrefix } from '#storage/clip-files.ts';
import { writeLists } from '#storage/clip-lists.ts';
import { createDatabases, type Databases } from '#storage/database.ts';
import { insertHostFailure } from '#storage/hosts.ts';
import { projectJob } from '#storage/job-index.ts';
import { publishRecord } from '#storage/record-cache.ts';
import { insertUnbilled, insertUsage } from '#storage/usage.ts';
import { demoKeyOf, listsOf } from './demo-key.ts';
import type { ProjectionExtras } from './engine-world.ts';
import { purgeMedia } from './purge-media.ts';
import type { StoredJob } from './stored-job.ts';
import { indexedRequest, skillsFor } from './stored-request.ts';

/** By then the answer to a submit is on its way, and so is the job to a host that waits. */
const INDEX_AFTER_MS = 3;

/** What effects reach. */
export interface EffectWorld {
  readonly settings: Pick<
    Settings,
    'baseUrl' | 'requestTtl' | 'hasCache' | 'mediaBaseUrl' | 'purge' | 'schedule' | 'clipIdSecret' | keyof AddressPolicy
  >;
  readonly databases: Databases;
  readonly files: R2Bucket;
  readonly dispatchers: Dispatchers;
}

/** What the platform hands a job's object, beside the variables. */
export interface JobBindings extends Pick<ObjectBindings, 'DISPATCHER'> {
  readonly DB: D1Database;
  readonly CLIPS: R2Bucket;
}

/** Built anew for each effect: a stub is broken for good once a call of it has failed. */
export function effectWorldOf(env: JobBindings, settings: Settings): EffectWorld {
  return {
    settings,
    databases: createDatabases(env),
    files: env.CLIPS,
    dispatchers: createDispatchers(placedIn(env.DISPATCHER, settings.place), settings.dispatchers),
  };
}

/** Carries out one effect of a job. Rejects if it could not be done; it is tried again then. */
export async function runEffect(
  world: EffectWorld,
  effect: OutsideEffect,
  stored: StoredJob,
  seen: ProjectionExtras,
): Promise<EffectOutcome> {
  const { settings, databases, files, dispatchers } = world;
  const { job, request } = stored;
  const need = { ...needOf(job), skills: skillsFor(request, settings) };
  // What is known of a host, and its slots, are at its home, which is the first.
  const tellEach = (shards: readonly number[], tell: (at: DispatcherStub, isHome: boolean) => Promise<void>) =>
    Promise.all(shards.map((shard) => tell(dispatchers.at(shard), shard === shards[0])));
  switch (effect.type) {
    case 'project': {
      if (job.status === 'pending') await scheduler.wait(INDEX_AFTER_MS);
      // Before the index: whoever finds a clip in a list can watch it.
      const published = effect.isPublic && job.work.kind === 'clip' ? await publishJob(world, stored) : null;
      const isForgotten = request.kind === 'clip' && request.forgotten;
      await projectJob(databases.of(job.database), job, indexedRequest(request), {
        ...seen,
        idleSince: settings.requestTtl === null || isForgotten ? null : idleSince(job),
        spareSince: spareSince(job, request),
      });
      if (published) await writeLists(files, published.lists, job.clipId, published.record);
      return 'done';
    }
    case 'offer': {
      if (await isRefusedByAll(need, dispatchers)) return 'no-build-left';
      const { id, accountId, priority, avoidHost } = job;
      const known = knownTo(effect);
      // Rather where it waited than where its host was at home.
      const shard = dispatchers.placeOf(job, known.toReversed());
      // Before the job waits anew: once a host has it, nobody would tell these any more.
      const others = known.filter((other) => other !== shard);
      await tellEach(others, (at) => at.settle(id));
      const slots = priority ? await findSlots(databases.primary, accountId) : null;
      const avoid = { avoidHost, avoidMs: settings.schedule.avoidFor };
      const demoKey = await demoKeyOf(settings.clipIdSecret, accountId, request.demo_url);
      const isShort = job.work.kind === 'inspection';
      const work = { jobId: id, accountId, tier: tierOf(priority), isShort, slots, demoKey };
      const offer = { ...work, ...avoid, ...need };
      dispatchers.note(shard, await dispatchers.at(shard).offer(offer));
      return { queuedAt: [shard] };
    }
    case 'started':
      await tellEach(knownTo(effect), (at, isHome) => at.started(job.id, isHome ? leaseOf(job)?.hostId : undefined));
      return 'done';
    case 'settle': {
      const { end } = effect;
      await tellEach(knownTo(effect), (at, isHome) => at.settle(job.id, isHome ? end : undefined));
      if (end && end.code !== null) {
        await insertHostFailure(databases.primary, {
          hostId: end.hostId,
          failedAt: end.at,
          jobId: job.id,
          code: end.code,
        });
      }
      return job.status === 'retrying' && (await isRefusedByAll(need, dispatchers)) ? 'no-build-left' : 'done';
    }
    case 'meter':
      await insertUsage(databases.of(job.database), { jobId: job.id, accountId: job.accountId, ...effect.usage });
      return 'done';
    case 'unbilled': {
      const { run, hostMs, endedAt } = effect;
      await insertUnbilled(databases.primary, { accountId: job.accountId, jobId: job.id, run, hostMs, endedAt });
      return 'done';
    }
    case 'delete-files':
      // In this order: a cache that asks again in between finds nothing to keep.
      await deletePrefix(files, effect.prefix);
      await purgeMedia(settings, effect.prefix, job.clipId);
      return 'done';
    case 'abort-uploads':
      await Promise.all(effect.uploads.map((upload) => abortUpload(files, upload)));
      return 'done';
    default:
      return assertExhaustive(effect);
  }
}

/**
 * Writes what viewers are to see of the job's clip. That one is gone is said without asking anybody. Resolves with the
 * lists of clips that are to hear of it.
 */
async function publishJob(
  world: EffectWorld,
  { job, request }: StoredJob,
): Promise<{ readonly record: PublicRecord; readonly lists: readonly string[] }> {
  const viewing = job.clip?.state === 'ready' ? await findViewing(world.databases.primary, job.accountId) : undefined;
  const isListed = viewing?.showsMore && request.kind === 'clip';
  const named = isListed ? await listsOf(world.settings.clipIdSecret, job.accountId, request) : [];
  const record = recordOf(job, viewing, named);
  return { record, lists: await publishRecord(world, job.clipId, record) };
}

/** The same at once with its lists. */
export async function publishWhole(world: EffectWorld, stored: StoredJob): Promise<void> {
  const { record, lists } = await publishJob(world, stored);
  await writeLists(world.files, lists, stored.job.clipId, record);
}

function needOf({ work, renderer, refusedBuilds, labels }: Job) {
  const { resolution, fps } = pictureOf(work);
  return { resolution, fps, renderer, refusedBuilds, labels };
}

/** Whether no host is known of late whose build has not refused the job's demo. */
async function isRefusedByAll(need: Need, dispatchers: Dispatchers): Promise<boolean> {
  return need.refusedBuilds.length > 0 && !(await dispatchers.hasKindFor(need));
}
