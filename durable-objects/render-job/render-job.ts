import { idleSince, spareSince } from '#domain/job/forget.ts';
import { type EndedAttempt, fieldsOf, isFinished, type Job } from '#domain/job/job.ts';
import { keptUsage } from '#domain/job/metering.ts';
import { refuse, value } from '#domain/job/result.ts';
import { clipPrefix, ownsFile } from '#domain/job/storage-keys.ts';
import { traitsOf } from '#domain/job/work.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { RenderJobRpc, Retry, ServiceCalls } from '#rpc/render-job.ts';
import { insertUsage } from '#storage/account/usage.ts';
import { findJobRow } from '#storage/operate/all-jobs.ts';
import { keepPoster } from '#storage/rule/rule-runs.ts';
import { AccountsJob } from './account-calls.ts';
import { attemptsOfRun, listAttempts } from './attempt-store.ts';
import { type EffectContext, eraseUnread, publishWhole } from './run-effect.ts';
import { byKind, fingerprintOf, forgottenRequest, isAcceptable } from './stored-request.ts';

/** The object of one job. It owns the state of the job and of its clip (contract 3). */
export class RenderJob extends AccountsJob implements RenderJobRpc {
  async runOverdue(): ReturnType<ServiceCalls['runOverdue']> {
    await this.job.engine.wake();
    return this.job.engine.upkeepAt();
  }

  expireClip(renderedBefore: number) {
    this.job.engine.apply({ type: 'expire-clip', renderedBefore });
  }

  async forgetDemo(finishedBefore: number): ReturnType<ServiceCalls['forgetDemo']> {
    const { stored } = this.job.engine;
    const since = stored && byKind(stored.request).inspection && idleSince(stored.job);
    if (stored && (since === null || since >= finishedBefore)) return false;
    if (stored?.job.tracks) {
      this.job.engine.apply({ type: 'forget-tracks' });
      await this.job.engine.wake();
      if (!this.job.engine.isIdle) return false;
    }
    await this.job.deleteAll();
    return true;
  }

  async forgetRequest(finishedBefore: number): ReturnType<ServiceCalls['forgetRequest']> {
    const { engine } = this.job;
    const { stored } = engine;
    const clip = stored && byKind(stored.request).clip;
    if (!clip || clip.forgotten) return true;
    if (!engine.isIdle) return false;
    const fingerprint = await fingerprintOf(this.job.settings.clipIdSecret, stored.job.id, clip);
    // The job may have run again since, with another request.
    if (engine.stored?.request !== clip || !engine.isIdle) return false;
    const request = forgottenRequest(clip, { at: Date.now(), fingerprint });
    engine.apply({ type: 'forget-request', finishedBefore }, { request });
    return true;
  }

  async deleteIfSpare(accountId: string): ReturnType<ServiceCalls['deleteIfSpare']> {
    const { stored } = this.job.engine;
    if (stored === null) return true;
    const { clip } = byKind(stored.request);
    if (stored.job.accountId !== accountId || spareSince(stored.job, clip?.idempotency_key) === null) return false;
    if (!this.job.engine.isIdle) return false;
    await this.job.deleteAll();
    return true;
  }

  async erase({ id, accountId, clipId }: Parameters<ServiceCalls['erase']>[0]): ReturnType<ServiceCalls['erase']> {
    if (!this.job.isReadable) {
      await eraseUnread(this.job.context, id, clipId);
      await this.job.deleteAll();
      return true;
    }
    const { stored } = this.job.engine;
    if (stored === null) return true;
    if (stored.job.accountId !== accountId) return false;
    const prefix = clipPrefix(stored.job.clipId);
    const isBegun = stored.outbox.some(
      ({ effect }) => effect.type === 'delete-files' && effect.prefix === prefix && effect.purge !== 'take-down',
    );
    if (!isBegun) this.job.engine.apply({ type: 'erase' });
    await this.job.engine.wake();
    if (!this.job.engine.isIdle) return false;
    await this.job.deleteAll();
    return true;
  }

  async reindex(): ReturnType<ServiceCalls['reindex']> {
    const { stored } = this.job.engine;
    if (!stored) return 'empty';
    const row = await findJobRow(this.job.context.database, stored.job.id);
    await meterAgain(this.job.context, stored.job, Date.now());
    const { rule } = byKind(stored.request);
    if (rule && this.job.engine.hasPost) await keepPoster(this.job.context.database, rule.run, stored.job.id);
    if (row?.version === stored.job.version) {
      if (stored.job.clip ?? stored.job.tracks) await publishWhole(this.job.context, stored);
      return 'current';
    }
    await this.recovered({ version: row?.version ?? 0, fence: 0 });
    return 'indexed';
  }

  async recover(target: number | string): ReturnType<ServiceCalls['recover']> {
    const { storage } = this.job.ctx;
    const stored = this.job.isReadable ? this.job.engine.stored : null;
    const { version = 0, fence = 0, run = 0 } = stored?.job ?? {};
    try {
      const bookmark = typeof target === 'string' ? target : await storage.getBookmarkForTime(target);
      return value({ undo: await storage.onNextSessionRestoreBookmark(bookmark), version, fence, run });
    } catch (error) {
      if (reasonOf(error).includes('does not implement point-in-time recovery')) return refuse('not_implemented');
      throw error;
    }
  }

  restart() {
    this.job.ctx.abort('the object is taken back to an earlier state');
  }

  async recovered(seen: Parameters<ServiceCalls['recovered']>[0]): ReturnType<ServiceCalls['recovered']> {
    const { engine } = this.job;
    if (!engine.stored) return null;
    engine.apply({ type: 'recovered', ...seen });
    await engine.wake();
    if (engine.stored.outbox.some(({ effect }) => effect.type === 'project')) {
      throw new Error('the job could not be indexed');
    }
    return engine.stored.job.status;
  }

  async takeDown({
    clipId,
    reason,
    requestId,
  }: Parameters<ServiceCalls['takeDown']>[0]): ReturnType<ServiceCalls['takeDown']> {
    const { engine } = this.job;
    const { accountId, clipId: own } = engine.stored?.job ?? {};
    if (accountId === undefined || own !== clipId) return refuse('not_found');
    if (!engine.apply({ type: 'take-down', reason }, { requestId }).ok) return refuse('not_found');
    await engine.shown();
    return value(accountId);
  }

  republish() {
    this.job.engine.apply({ type: 'republish' });
  }

  post(post: Parameters<ServiceCalls['post']>[0]) {
    this.job.engine.post(post);
  }

  ownsFile(key: string): ReturnType<ServiceCalls['ownsFile']> {
    const { stored } = this.job.engine;
    return stored !== null && ownsFile(fieldsOf(stored.job), key);
  }

  retry(asked: Retry): ReturnType<ServiceCalls['retry']> {
    const { accountId, status, finishedAt, hostId, gameBuild, isDryRun, requestId, blocked } = asked;
    const { engine, settings, ctx } = this.job;
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
    const least = frames && frames.asked > 0 ? frames.asked / picture.fps : null;
    return value({ hasWebhook: state.webhook !== null, seconds: state.clip?.durationSeconds ?? least });
  }

  activity(): ReturnType<ServiceCalls['activity']> {
    const { engine, followers } = this.job;
    return engine.stored && followers.activity(engine.stored.job);
  }

  async story(): ReturnType<ServiceCalls['story']> {
    const queue = this.job.engine.stored && (await this.job.followers.whyWaits(this.job.engine.stored, true));
    if (!this.job.engine.stored) return null;
    const { job: state, request } = this.job.engine.stored;
    return {
      job: { ...state, webhook: null },
      request: byKind(request).shown,
      progress: this.job.followers.activity(state).progress,
      queue,
      attempts: listAttempts(this.job.ctx.storage.sql),
      deliveries: this.job.engine.listDeliveries(),
    };
  }
}

/** Stores the usage of a job's runs again, because the index may have lost it. Repeatable. */
async function meterAgain({ database }: EffectContext, { id, accountId, isTest, billed }: Job, now: number) {
  if (isTest) return;
  for (const usage of keptUsage(billed, now)) await insertUsage(database, { jobId: id, accountId, ...usage });
}
