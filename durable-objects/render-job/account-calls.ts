import { isFinished } from '#domain/job/job.ts';
import { mayHaveTracks } from '#domain/job/old-tracks.ts';
import { isIndexed } from '#domain/job/outbox.ts';
import { DONE, refuse, refusedWith, value } from '#domain/job/result.ts';
import { type ClipInclude, clipDetail } from '#protocol/clip/clip-view.ts';
import { assetsAsked, namesAsked } from '#protocol/clip/submit.ts';
import { demoOf } from '#protocol/demo/demos.ts';
import type { JobInclude } from '#protocol/job/job-detail.ts';
import type {
  AccountCalls,
  ClipChange,
  InspectionSubmission,
  Resubmission,
  Submission,
  SubmitOutcome,
} from '#rpc/render-job.ts';
import { HostedJob } from './host-calls.ts';
import { inspect } from './inspection.ts';
import type { OpenJob } from './open-job.ts';
import { admissionOf, byKind, fingerprintOf, isAcceptable, isSameRequest, storedRequest } from './stored-request.ts';

type Answer<Call extends keyof AccountCalls> = ReturnType<AccountCalls[Call]>;

/** The object of a job, for its account too. */
export abstract class AccountsJob extends HostedJob implements AccountCalls {
  submit(submission: Submission): Answer<'submit'> {
    return submit(this.job, submission);
  }

  async inspectDemo(submission: InspectionSubmission): Answer<'inspectDemo'> {
    const inspected = inspect(this.job, submission, Date.now());
    if (inspected.ok && inspected.value.added) await this.job.engine.shown(isIndexed);
    return inspected;
  }

  readDemo(accountId: string): Answer<'readDemo'> {
    const { job: state, inspection } = ofAccount(this.job, accountId) ?? {};
    return state && inspection ? value(demoOf(state, inspection, this.job.settings)) : refuse('not_found');
  }

  readReplay(accountId: string): Answer<'readReplay'> {
    const { job: state, request, inspection, selection } = ofAccount(this.job, accountId) ?? {};
    if (!state || !request || !selection) return refuse('not_found');
    const { id, clipId, run, tracks } = state;
    const { shown } = byKind(request);
    return value({
      id,
      clipId,
      run,
      tracks: tracks ?? null,
      match: inspection?.found ?? null,
      demoUrl: request.demo_url,
      cut:
        selection.mode !== 'inspect' && !tracks && mayHaveTracks(state)
          ? { selection, ...assetsAsked(shown), names: namesAsked(shown) }
          : null,
    });
  }

  async addTracks(accountId: string, { run, tracks }: Parameters<AccountCalls['addTracks']>[1]): Answer<'addTracks'> {
    if (!owned(this.job, accountId)) return refuse('not_found');
    const result = this.job.engine.apply({ type: 'tracks-cut', run, tracks });
    if (!result.ok) return refusedWith(result, 'job_changed');
    await this.job.engine.shown();
    return DONE;
  }

  async read(accountId: string, include: readonly JobInclude[] = []): Answer<'read'> {
    if (this.job.engine.stored?.job.status === 'done') await this.job.engine.shown();
    const stored = owned(this.job, accountId);
    return stored ? value(await this.job.followers.read(stored, include)) : refuse('not_found');
  }

  resubmit(accountId: string, { requestId, isFull, most, blocked }: Resubmission = {}): Answer<'resubmit'> {
    const stored = owned(this.job, accountId);
    if (!stored) return refuse('not_found');
    if (stored.request.forgotten) return refuse('request_forgotten');
    const added = isFinished(stored.job.status) ? 'run' : null;
    if (isFull && added) return refuse('limit_reached');
    const acceptable = isAcceptable(stored.request, { ...this.job.settings, blocked }, stored.job.isTest);
    const result = this.job.engine.apply({ type: 'resubmit', acceptable, most }, { requestId });
    return result.ok ? value(added) : refusedWith(result, 'job_in_flight', 'too_many_reruns');
  }

  cancel(accountId: string | null, requestId?: string): Answer<'cancel'> {
    if (!(accountId === null ? this.job.engine.stored : owned(this.job, accountId))) return refuse('not_found');
    const by = accountId === null ? 'operator' : 'account';
    const result = this.job.engine.apply({ type: 'cancel', by }, { requestId });
    return result.ok ? DONE : refusedWith(result, 'job_finished');
  }

  resendWebhook(accountId: string): Answer<'resendWebhook'> {
    return owned(this.job, accountId) ? this.job.engine.resend() : refuse('not_found');
  }

  deliveries(accountId: string): Answer<'deliveries'> {
    return owned(this.job, accountId) ? value(this.job.engine.listDeliveries()) : refuse('not_found');
  }

  async watch(
    accountId: string,
    include: readonly JobInclude[] = [],
    lastEventId: string | null = null,
  ): Answer<'watch'> {
    return owned(this.job, accountId) ? this.job.followers.watch(include, lastEventId) : refuse('not_found');
  }

  readClip(accountId: string, clipId: string, include: readonly ClipInclude[] = []): Answer<'readClip'> {
    const stored = owned(this.job, accountId);
    if (!stored?.job.clip || stored.job.clipId !== clipId) return refuse('not_found');
    const { id, clip, isTest = false } = stored.job;
    return value(clipDetail(clipId, id, clip, include, { ...this.job.settings, isTest }));
  }

  async changeClip(accountId: string, { clipId, change, requestId }: ClipChange): Answer<'changeClip'> {
    if (owned(this.job, accountId)?.job.clipId !== clipId) return refuse('not_found');
    if (!this.job.engine.apply({ type: change }, { requestId }).ok) return refuse('not_found');
    await this.job.engine.shown();
    return DONE;
  }
}

/** Returns the job and what it stores for its kind, if it belongs to the account. */
function ofAccount({ engine: { stored } }: OpenJob, accountId: string) {
  return stored?.job.accountId === accountId ? { ...stored, ...byKind(stored.request) } : null;
}

/** Returns the account's job if it makes a clip. */
function owned(job: OpenJob, accountId: string) {
  const stored = ofAccount(job, accountId);
  return stored?.clip ? { ...stored, request: stored.clip } : null;
}

function submit(
  { engine, settings }: OpenJob,
  { asks, request, requestId, full, blocked, rule: maker, isTest, version = 0, ...submitted }: Submission,
): SubmitOutcome | Promise<SubmitOutcome> {
  const { jobId: id, accountId, clipId, priority } = submitted;
  const { stored } = engine;
  // A job keeps its rule when a client runs it again.
  const rule = stored ? byKind(stored.request).rule : maker;
  const kept = { ...storedRequest(request), ...(rule ? { rule } : {}) };
  const { frames, fallback } = settings.limits;
  const asked = { frames, fallback, ...asks };
  const admission = admissionOf(request, kept, { priority, ...asked, isTest }, { ...settings, blocked });
  if (!stored) {
    if (full) return 'limit_reached';
    const identity = { id, accountId, clipId, version };
    engine.apply({ type: 'submit', identity, admission }, { request: kept, requestId });
    return 'created';
  }
  if (request.force === true && isFinished(stored.job.status)) {
    if (full && full !== 'jobs') return 'limit_reached';
    const redone = engine.apply({ type: 'redo', admission }, { request: kept, requestId });
    return redone.ok ? 'redone' : refusedWith(redone, 'too_many_reruns').refusal;
  }
  const forgotten = byKind(stored.request).clip?.forgotten;
  if (!forgotten) return isSameRequest(stored, request, kept) ? 'replayed' : 'differs';
  const fingerprint = fingerprintOf(settings.clipIdSecret, id, kept);
  return fingerprint.then((sent) => (sent === forgotten.fingerprint ? 'replayed' : 'differs'));
}
