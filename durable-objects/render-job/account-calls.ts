import { isFinished } from '#domain/job.ts';
import { mayHaveTracks } from '#domain/replay.ts';
import { DONE, refuse, refusedWith, value } from '#domain/result.ts';
import type { Settings } from '#platform/settings.ts';
import { clipDetail } from '#protocol/clip-view.ts';
import { demoOf } from '#protocol/demos.ts';
import { assetsAsked } from '#protocol/submit.ts';
import type { AccountCalls, Submission, SubmitOutcome } from '#rpc/render-job.ts';
import { inspect } from './inspection.ts';
import type { JobEngine } from './job-engine.ts';
import type { OpenJob } from './open-job.ts';
import { admissionOf, byKind, fingerprintOf, isAcceptable, isSameRequest, storedRequest } from './stored-request.ts';

export function createAccountCalls(job: OpenJob): AccountCalls {
  const { settings, followers } = job;

  /** Returns the job and what it stores for its kind, if it belongs to the account. */
  function ofAccount(accountId: string) {
    const { stored } = job.engine;
    return stored?.job.accountId === accountId ? { ...stored, ...byKind(stored.request) } : null;
  }

  /** Returns the account's job if it makes a clip. */
  function owned(accountId: string) {
    const stored = ofAccount(accountId);
    return stored?.clip ? { ...stored, request: stored.clip } : null;
  }

  return {
    submit: (submission) => submit(job.engine, submission, settings),
    inspectDemo: (submission) => inspect(job, submission, Date.now()),

    readDemo(accountId) {
      const { job: state, inspection } = ofAccount(accountId) ?? {};
      return state && inspection ? value(demoOf(state, inspection, settings)) : refuse('not_found');
    },

    readReplay(accountId) {
      const { job: state, request, inspection, selection } = ofAccount(accountId) ?? {};
      if (!state || !request || !selection) return refuse('not_found');
      const { id, clipId, run, tracks } = state;
      const { shown } = byKind(request);
      return value({
        ...{ id, clipId, run, tracks: tracks ?? null, match: inspection?.found ?? null, demoUrl: request.demo_url },
        cut:
          selection.mode !== 'inspect' && !tracks && mayHaveTracks(state) ? { selection, ...assetsAsked(shown) } : null,
      });
    },

    async addTracks(accountId, { run, tracks }) {
      if (!owned(accountId)) return refuse('not_found');
      const result = job.engine.apply({ type: 'tracks-cut', run, tracks });
      if (!result.ok) return refusedWith(result, 'job_changed');
      await job.engine.shown();
      return DONE;
    },

    async read(accountId, include = []) {
      if (job.engine.stored?.job.status === 'done') await job.engine.shown();
      const stored = owned(accountId);
      return stored ? value(await followers.read(stored, include)) : refuse('not_found');
    },

    resubmit(accountId, { requestId, isFull, most, blocked } = {}) {
      const stored = owned(accountId);
      if (!stored) return refuse('not_found');
      if (stored.request.forgotten) return refuse('request_forgotten');
      const added = isFinished(stored.job.status) ? 'run' : null;
      if (isFull && added) return refuse('limit_reached');
      const acceptable = isAcceptable(stored.request, { ...settings, blocked }, stored.job.isTest);
      const result = job.engine.apply({ type: 'resubmit', acceptable, most }, { requestId });
      return result.ok ? value(added) : refusedWith(result, 'job_in_flight', 'too_many_reruns');
    },

    cancel(accountId, requestId) {
      if (!(accountId === null ? job.engine.stored : owned(accountId))) return refuse('not_found');
      const by = accountId === null ? 'operator' : 'account';
      const result = job.engine.apply({ type: 'cancel', by }, { requestId });
      return result.ok ? DONE : refusedWith(result, 'job_finished');
    },

    resendWebhook(accountId) {
      return owned(accountId) ? job.engine.resend() : refuse('not_found');
    },

    deliveries: (accountId) => (owned(accountId) ? value(job.engine.listDeliveries()) : refuse('not_found')),

    async watch(accountId, include = [], lastEventId = null) {
      return owned(accountId) ? followers.watch(include, lastEventId) : refuse('not_found');
    },

    readClip(accountId, clipId, include = []) {
      const stored = owned(accountId);
      if (!stored?.job.clip || stored.job.clipId !== clipId) return refuse('not_found');
      const { id, clip, isTest = false } = stored.job;
      return value(clipDetail(clipId, id, clip, include, { ...settings, isTest }));
    },

    async changeClip(accountId, { clipId, change, requestId }) {
      if (owned(accountId)?.job.clipId !== clipId) return refuse('not_found');
      if (!job.engine.apply({ type: change }, { requestId }).ok) return refuse('not_found');
      await job.engine.shown();
      return DONE;
    },
  };
}

function submit(
  engine: JobEngine,
  { asks, request, requestId, full, blocked, rule: maker, isTest, version = 0, ...submitted }: Submission,
  settings: Settings,
): SubmitOutcome | Promise<SubmitOutcome> {
  const { jobId: id, accountId, clipId, priority } = submitted;
  const { stored } = engine;
  // A job keeps its rule when a client runs it again.
  const rule = stored ? byKind(stored.request).rule : maker;
  const kept = { ...storedRequest(request), ...(rule ? { rule } : {}) };
  const { frames, fallback } = settings.limits;
  const asked = { frames, fallback, ...(asks ?? { renderer: null, labels: [] }) };
  const admission = admissionOf(request, kept, { priority, ...asked, isTest }, { ...settings, blocked });
  if (!stored) {
    if (full) return 'limit_reached';
    const identity = { id, accountId, clipId, version };
    engine.apply({ type: 'submit', identity, admission }, { request: kept, requestId });
    return 'created';
  }
  if (request.force === true && isFinished(stored.job.status)) {
    if (full === 'runs') return 'limit_reached';
    const redone = engine.apply({ type: 'redo', admission }, { request: kept, requestId });
    return redone.ok ? 'redone' : refusedWith(redone, 'too_many_reruns').refusal;
  }
  const forgotten = byKind(stored.request).clip?.forgotten;
  if (!forgotten) return isSameRequest(stored, request, kept) ? 'replayed' : 'differs';
  const fingerprint = fingerprintOf(settings.clipIdSecret, id, kept);
  return fingerprint.then((sent) => (sent === forgotten.fingerprint ? 'replayed' : 'differs'));
}
