import { tierOf } from '#domain/account/account.ts';
import type { Need } from '#domain/host/need.ts';
import { isFallbackDue, runEndsAt } from '#domain/job/attempt.ts';
import { idleSince, spareSince } from '#domain/job/forget.ts';
import { leaseOf } from '#domain/job/job.ts';
import type { EffectOutcome, OutboxEntry, OutsideEffect } from '#domain/job/outbox.ts';
import { type PublicRecord, recordOf } from '#domain/job/public-record.ts';
import { clipPrefix } from '#domain/job/storage-keys.ts';
import { traitsOf } from '#domain/job/work.ts';
import type { AddressPolicy } from '#domain/lib/address-policy.ts';
import { reasonOf } from '#domain/lib/text.ts';
import { assertExhaustive } from '#domain/lib/types.ts';
import { placedIn } from '#platform/placed-in.ts';
import type { Settings } from '#platform/settings.ts';
import { uploadIdIn } from '#protocol/demo/uploads.ts';
import type { DispatcherStub, PurgeQueueStub } from '#rpc/bindings.ts';
import { withdrawClip } from '#service/job/send-discord.ts';
import { type StaticFile, staticFileOf } from '#service/lib/controls.ts';
import { type Bindings, dispatcherOf, purgeQueueOf } from '#service/lib/service.ts';
import { findDispatchPolicy, findViewing } from '#storage/account/accounts.ts';
import { insertUsage } from '#storage/account/usage.ts';
import { abortUpload, deletePrefix } from '#storage/clip/clip-files.ts';
import { writeLists } from '#storage/clip/clip-lists.ts';
import { publishedVersion } from '#storage/clip/public-record.ts';
import { publishRecord } from '#storage/clip/record-cache.ts';
import { holdUpload } from '#storage/demo/uploads.ts';
import { insertHostFailure } from '#storage/host/hosts.ts';
import { projectJob } from '#storage/job/job-index.ts';
import { add } from '#storage/lib/budgets.ts';
import { type Database, openDatabase } from '#storage/lib/database.ts';
import { findJobRow } from '#storage/operate/all-jobs.ts';
import { demoKeyOf, listsOf } from './demo-key.ts';
import type { EngineContext, ProjectionExtras } from './engine-context.ts';
import type { StoredJob } from './stored-job.ts';
import { byKind, indexedRequest, skillsFor, storedBytes } from './stored-request.ts';

/** By then the response to a submit is sent and a waiting host has the job. */
const INDEX_AFTER_MS = 3;
/** The submit of a job that is not older has just read the account. */
const NEW_JOB_MS = 60_000;

/** The parts that effects call. */
export interface EffectContext {
  readonly settings: Pick<
    Settings,
    ('baseUrl' | 'faceit' | 'requestTtl' | 'hasCache' | 'purge' | 'schedule' | 'clipIdSecret') | keyof AddressPolicy
  >;
  readonly database: Database;
  readonly files: R2Bucket;
  readonly dispatcher: DispatcherStub;
  readonly purges: PurgeQueueStub;
  /** For the host of test jobs. */
  readonly staticFile: StaticFile;
}

/** Created for each effect: a stub is broken for good once a call of it has failed. */
export function effectContextOf(env: Bindings, settings: Settings): EffectContext {
  return {
    settings,
    database: openDatabase(env.DB),
    files: env.CLIPS,
    dispatcher: dispatcherOf(placedIn(env.DISPATCHER, settings.place)),
    purges: purgeQueueOf(env, settings),
    staticFile: staticFileOf(env),
  };
}

/** Runs one effect of a job. Rejects if it failed; it is then retried. */
export async function runEffect(
  context: EffectContext,
  effect: OutsideEffect,
  stored: StoredJob,
  seen: ProjectionExtras,
): Promise<EffectOutcome> {
  const { settings, database, files, dispatcher } = context;
  const { job, request } = stored;
  const { clip, rule } = byKind(request);
  const need = needOf(stored, settings);
  const uploadId = uploadIdIn(request.demo_url, settings.ownOrigins);
  switch (effect.type) {
    case 'project': {
      if (job.status === 'pending') await scheduler.wait(INDEX_AFTER_MS);
      // Before the index: a clip in a list can always be watched.
      const published = effect.isPublic ? await publishJob(context, stored) : null;
      await projectJob(database, job, indexedRequest(request, settings), {
        ...seen,
        bytes: storedBytes(stored),
        idleSince: settings.requestTtl === null || clip?.forgotten ? null : idleSince(job),
        spareSince: spareSince(job, clip?.idempotency_key),
      });
      if (published) await writeLists(files, published.lists, job.clipId, published.record);
      return 'done';
    }
    case 'offer': {
      if (await isRefusedByAll(need, dispatcher)) return 'no-host-left';
      if (isFallbackDue(job, Date.now()) && !(await dispatcher.hasHostFor(need, job.fallback?.waitMs ?? 0))) {
        return 'no-host-left';
      }
      const { id, accountId, avoidHost, avoidMs = settings.schedule.avoidFor, priority } = job;
      const mayBeDrawn = (job.renderer === 'radar' || job.fallback) && Date.now() - job.createdAt > NEW_JOB_MS;
      const account = priority || mayBeDrawn ? await findDispatchPolicy(database, accountId) : null;
      if (mayBeDrawn && account?.renderer === 'cs2_only') return 'game-only';
      if (uploadId !== null) {
        const until = runEndsAt(job, settings.schedule);
        await holdUpload(database, { accountId, id: uploadId }, Date.now(), until);
      }
      const { isShort } = traitsOf(job.work);
      const slots = account?.slots ?? null;
      const demoKey = await demoKeyOf(settings.clipIdSecret, accountId, request.demo_url);
      const work = { jobId: id, accountId, tier: tierOf(priority), isShort, slots, demoKey };
      await dispatcher.offer({ ...work, avoidHost, avoidMs, ...need });
      return 'done';
    }
    case 'started': {
      const lease = leaseOf(job);
      if (lease) await dispatcher.started(job.id, lease.hostId);
      return 'done';
    }
    case 'settle': {
      const { end } = effect;
      await dispatcher.settle(job.id, end);
      if (end && end.code !== null) {
        await insertHostFailure(database, {
          hostId: end.hostId,
          failedAt: end.at,
          jobId: job.id,
          code: end.code,
        });
      }
      return job.status === 'retrying' && (await isRefusedByAll(need, dispatcher)) ? 'no-host-left' : 'done';
    }
    case 'meter':
      await insertUsage(database, { jobId: job.id, accountId: job.accountId, ...effect.usage });
      return 'done';
    case 'unbilled': {
      const { hostMs: amount, endedAt: at } = effect;
      // A repeated call counts again: the limit is reached earlier on that day.
      await add(database, [{ owner: job.accountId, name: 'unbilled', at, amount }]);
      return 'done';
    }
    case 'delete-files':
      await deleteFiles(context, effect);
      if (effect.since !== undefined && rule) await withdrawClip(context, rule.run, job.clipId, effect.since);
      return 'done';
    case 'abort-uploads':
      await Promise.all(effect.uploads.map((upload) => abortUpload(files, upload)));
      return 'done';
    default:
      return assertExhaustive(effect);
  }
}

async function deleteFiles(
  { files, settings, purges }: EffectContext,
  { prefix, purge }: Omit<Extract<OutsideEffect, { type: 'delete-files' }>, 'type'>,
): Promise<void> {
  // In this order: a cache that reloads between both steps finds no file.
  await deletePrefix(files, prefix);
  if (settings.purge && purge) await purges.add({ prefix, reason: purge });
}

/** Deletes what a job whose state cannot be read has outside of its object. Repeatable. Its account is being erased. */
export async function eraseUnread(context: EffectContext, jobId: string, clipId: string): Promise<void> {
  await context.dispatcher.settle(jobId);
  const version = await publishedVersion(context.files, clipId);
  if (version !== null) await publishRecord(context, clipId, { version: version + 1, state: 'deleted' });
  await deleteFiles(context, { prefix: clipPrefix(clipId), purge: 'erasure' });
  const { ruleRun } = (await findJobRow(context.database, jobId)) ?? {};
  // Tries once, because nothing stores when the first attempt was.
  if (ruleRun) await withdrawClip(context, ruleRun, clipId, 0);
}

/**
 * Writes the public record of the job's clip or replay. One that is gone does without its account's settings if they
 * cannot be read. Returns the lists to update.
 */
async function publishJob(
  context: EffectContext,
  { job, request }: StoredJob,
): Promise<{ readonly record: PublicRecord; readonly lists: readonly string[] }> {
  const found = findViewing(context.database, job.accountId);
  const viewing = await (job.clip?.state === 'ready' || job.tracks ? found : found.catch(() => undefined));
  const { clip } = byKind(request);
  const named = viewing?.showsMore && clip ? await listsOf(context.settings.clipIdSecret, job.accountId, clip) : [];
  const record = recordOf(job, viewing, named);
  return { record, lists: await publishRecord(context, job.clipId, record) };
}

/** Publishes the record and its lists. */
export async function publishWhole(context: EffectContext, stored: StoredJob): Promise<void> {
  const { record, lists } = await publishJob(context, stored);
  await writeLists(context.files, lists, stored.job.clipId, record);
}

/** Returns what a job needs of its hosts. */
export function needOf(stored: StoredJob, settings: Parameters<typeof skillsFor>[1]): Need {
  const { renderer, refusedBuilds, labels } = stored.job;
  const { picture } = traitsOf(stored.job.work);
  return { ...picture, renderer, refusedBuilds, labels, skills: skillsFor(stored, settings) };
}

/** Whether every recently seen host has a build that refused the job's demo. */
async function isRefusedByAll(need: Need, dispatcher: DispatcherStub): Promise<boolean> {
  return need.refusedBuilds.length > 0 && !(await dispatcher.hasKindFor(need));
}

/** Tries due effects. Returns the outcome of each by its id. Never rejects. */
export async function tryEffects(
  { runEffect, log }: Pick<EngineContext, 'runEffect' | 'log'>,
  due: readonly OutboxEntry[],
  stored: StoredJob,
  seen: ProjectionExtras,
): Promise<ReadonlyMap<string, EffectOutcome>> {
  // Offers first, because a host may wait for one.
  const inOrder = due.toSorted((a, b) => Number(b.effect.type === 'offer') - Number(a.effect.type === 'offer'));
  const tried = inOrder.map(async ({ id, effect }): Promise<[string, EffectOutcome]> => {
    try {
      return [id, await runEffect(effect, stored, seen)];
    } catch (error) {
      log('effect failed', { job: stored.job.id, effect: effect.type, error: reasonOf(error) });
      return [id, 'failed'];
    }
  });
  return new Map(await Promise.all(tried));
}
