import { idleSince, spareSince } from '#domain/forget.ts';
import { type EndedAttempt, fieldsOf, isFinished, type Job } from '#domain/job.ts';
import { keptUsage } from '#domain/metering.ts';
import { reasonOf } from '#domain/reason.ts';
import { refuse, value } from '#domain/result.ts';
import { clipPrefix, ownsFile } from '#domain/storage-keys.ts';
import { traitsOf } from '#domain/work.ts';
import type { ServiceCalls } from '#rpc/render-job.ts';
import { findJobRow } from '#storage/all-jobs.ts';
import { keepPoster } from '#storage/rule-runs.ts';
import { insertUsage } from '#storage/usage.ts';
import { attemptsOfRun, listAttempts } from './attempt-store.ts';
import type { OpenJob } from './open-job.ts';
import { type EffectContext, eraseUnread, publishWhole } from './run-effect.ts';
import { byKind, fingerprintOf, forgottenRequest, isAcceptable } from './stored-request.ts';

export function createServiceCalls(job: OpenJob): ServiceCalls {
  const calls: ServiceCalls = {
    async runOverdue() {
      await job.engine.wake();
      return job.engine.upkeepAt();
    },

    expireClip(renderedBefore) {
      job.engine.apply({ type: 'expire-clip', renderedBefore });
    },

    async forgetDemo(finishedBefore) {
      const { stored } = job.engine;
      const since = stored && byKind(stored.request).inspection && idleSince(stored.job);
      if (stored && (since === null || since >= finishedBefore)) return false;
      if (stored?.job.tracks) {
        job.engine.apply({ type: 'forget-tracks' });
        await job.engine.wake();
        if (!job.engine.isIdle) return false;
      }
      await job.deleteAll();
      return true;
    },

    async forgetRequest(finishedBefore) {
      const { engine } = job;
      const { stored } = engine;
      const clip = stored && byKind(stored.request).clip;
      if (!clip || clip.forgotten) return true;
      if (!engine.isIdle) return false;
      const fingerprint = await fingerprintOf(job.settings.clipIdSecret, stored.job.id, clip);
      // The job may have run again since, with another request.
      if (engine.stored?.request !== clip || !engine.isIdle) return false;
      const request = forgottenRequest(clip, { at: Date.now(), fingerprint });
      engine.apply({ type: 'forget-request', finishedBefore }, { request });
      return true;
    },

    async deleteIfSpare(accountId) {
      const { stored } = job.engine;
      if (stored === null) return true;
      const { clip } = byKind(stored.request);
      if (stored.job.accountId !== accountId || spareSince(stored.job, clip?.idempotency_key) === null) return false;
      if (!job.engine.isIdle) return false;
      await job.deleteAll();
      return true;
    },

    async erase({ id, accountId, clipId }) {
      if (!job.isReadable) {
        await eraseUnread(job.context, id, clipId);
        await job.deleteAll();
        return true;
      }
      const { stored } = job.engine;
      if (stored === null) return true;
      if (stored.job.accountId !== accountId) return false;
      const prefix = clipPrefix(stored.job.clipId);
      const isBegun = stored.outbox.some(
        ({ effect }) => effect.type === 'delete-files' && effect.prefix === prefix && effect.purge !== 'take-down',
      );
      if (!isBegun) job.engine.apply({ type: 'erase' });
      await job.engine.wake();
      if (!job.engine.isIdle) return false;
      await job.deleteAll();
      return true;
    },

    async reindex() {
      const { stored } = job.engine;
      if (!stored) return 'empty';
      const row = await findJobRow(job.context.database, stored.job.id);
      await meterAgain(job.context, stored.job, Date.now());
      const { rule } = byKind(stored.request);
      if (rule && job.engine.hasPost) await keepPoster(job.context.database, rule.run, stored.job.id);
      if (row?.version === stored.job.version) {
        if (stored.job.clip ?? stored.job.tracks) await publishWhole(job.context, stored);
        return 'current';
      }
      await calls.recovered({ version: row?.version ?? 0, fence: 0 });
      return 'indexed';
    },

    async recover(target) {
      const { storage } = job.ctx;
      const stored = job.isReadable ? job.engine.stored : null;
      const { version = 0, fence = 0, run = 0 } = stored?.job ?? {};
      try {
        const bookmark = typeof target === 'string' ? target : await storage.getBookmarkForTime(target);
        return value({ undo: await storage.onNextSessionRestoreBookmark(bookmark), version, fence, run });
      } catch (error) {
        if (reasonOf(error).includes('does not implement point-in-time recovery')) return refuse('not_implemented');
        throw error;
      }
    },

    restart() {
      job.ctx.abort('the object is taken back to an earlier state');
    },

    async recovered(seen) {
      const { engine } = job;
      if (!engine.stored) return null;
      engine.apply({ type: 'recovered', ...seen });
      await engine.wake();
      if (engine.stored.outbox.some(({ effect }) => effect.type === 'project')) {
        throw new Error('the job could not be indexed');
      }
      return engine.stored.job.status;
    },

    async takeDown({ clipId, reason, requestId }) {
      const { engine } = job;
      const { accountId, clipId: own } = engine.stored?.job ?? {};
      if (accountId === undefined || own !== clipId) return refuse('not_found');
      if (!engine.apply({ type: 'take-down', reason }, { requestId }).ok) return refuse('not_found');
      await engine.shown();
      return value(accountId);
    },

    republish() {
      job.engine.apply({ type: 'republish' });
    },

    post(post) {
      job.engine.post(post);
    },

    ownsFile: (key) => job.engine.stored !== null && ownsFile(fieldsOf(job.engine.stored.job), key),

    retry({ accountId, status, finishedAt, hostId, gameBuild, isDryRun, requestId, blocked }) {
      const { engine, settings, ctx } = job;
      const { job: state, request } = engine.stored ?? {};
      const clip = request && byKind(request).clip;
      if (!state || !clip || state.accountId !== accountId) return refuse('not_found');
      if (state.status !== status) return refuse(isFinished(state.status) ? 'job_finished' : 'job_in_flight');
      if (finishedAt !== undefined && finishedAt !== fieldsOf(state).finishedAt) return refuse('job_changed');
      const isMeant = ({ hostId: host, gameBuild: build }: Pick<EndedAttempt, 'hostId' | 'gameBuild'>) =>
        (hostId ?? host) === host && (gameBuild ?? build) === build;
      const isFiltered = hostId !== undefined || gameBuild !== undefined;
      if (isFiltered && !attemptsOfRun(ctx.storage.sql, state).some(isMeant)) return value(null);
      if (clip.forgotten) return refuse('request_forgotten');
      if (state.clip?.removal) return refuse('clip_removed');
      if (status === 'done' && state.clip?.state !== 'ready') return refuse('clip_deleted');
      if (!isAcceptable(clip, { ...settings, blocked }, state.isTest)) return refuse('demo_not_accepted');
      const event = { type: 'resubmit', acceptable: true } as const;
      const result = isDryRun ? engine.tryOut(event) : engine.apply(event, { requestId });
      if (!result.ok) return result;
      const { frames, picture } = traitsOf(state.work);
      const asked = frames && frames.asked > 0 ? frames.asked / picture.fps : null;
      return value({ hasWebhook: state.webhook !== null, seconds: state.clip?.durationSeconds ?? asked });
    },

    activity: () => job.engine.stored && job.followers.activity(job.engine.stored.job),

    async story() {
      const queue = job.engine.stored && (await job.followers.whyWaits(job.engine.stored, true));
      if (!job.engine.stored) return null;
      const { job: state, request } = job.engine.stored;
      return {
        job: { ...state, webhook: null },
        request: byKind(request).shown,
        progress: job.followers.activity(state).progress,
        queue,
        attempts: listAttempts(job.ctx.storage.sql),
        deliveries: job.engine.listDeliveries(),
      };
    },
  };
  return calls;
}

/** Stores the usage of a job's runs again, because the index may have lost it. Repeatable. */
async function meterAgain({ database }: EffectContext, { id, accountId, isTest, billed }: Job, now: number) {
  if (isTest) return;
  for (const usage of keptUsage(billed, now)) await insertUsage(database, { jobId: id, accountId, ...usage });
}
