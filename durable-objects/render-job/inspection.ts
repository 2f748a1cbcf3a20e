import { fieldsOf, isFinished } from '#domain/job/job.ts';
import { type Result, refuse, refusedWith, value } from '#domain/job/result.ts';
import { demoOf, READER_VERSION } from '#protocol/demo/demos.ts';
import type { Inspected, InspectionRefusal, InspectionSubmission } from '#rpc/render-job.ts';
import type { OpenJob } from './open-job.ts';
import { byKind, inspectionAdmission } from './stored-request.ts';

/** How long a result of an older reader is not read again: a host may be older than the service for a while. */
const OUTDATED_KEPT_MS = 60 * 60_000;

/**
 * Queues an inspection; a failed one, one that lacks the tracks that are asked for, and, once a version of the reader,
 * one of an older reader, again. What was found stays until another run finds something. Returns any other unchanged.
 */
export function inspect(
  { engine, settings }: Pick<OpenJob, 'engine' | 'settings'>,
  asked: InspectionSubmission,
  now: number,
): Result<Inspected, InspectionRefusal> {
  const { jobId: id, accountId, clipId, demoUrl, labels, isTest, requestId, full, blocked } = asked;
  const kept = engine.stored && byKind(engine.stored.request).inspection;
  const known = kept?.found;
  const wasAsked = kept?.replay;
  const replay = asked.replay || wasAsked || undefined;
  const { status, tracks, removal } = engine.stored?.job ?? {};
  const endedAt = engine.stored ? fieldsOf(engine.stored.job).finishedAt : null;
  const reader = Math.max(known?.reader ?? 0, kept?.reread ?? 0);
  const isSettled = endedAt !== null && endedAt + OUTDATED_KEPT_MS <= now;
  const isOld = known && isSettled && reader < READER_VERSION && !full && !removal;
  const lacksTracks = asked.replay && !tracks && !removal;
  const isEnded = status !== undefined && isFinished(status);
  const isIncomplete = isEnded && (lacksTracks || isOld);
  // The run under way writes no tracks.
  const isReplaced = status !== undefined && !isEnded && lacksTracks && !wasAsked;
  const rerun = (status === 'error' && !known) || isIncomplete || isReplaced ? 'run' : null;
  const added = engine.stored ? rerun : 'job';
  if (full && (full === 'runs' ? added : added === 'job')) return refuse('limit_reached');
  if (added) {
    if (isReplaced) engine.apply({ type: 'cancel', by: 'account' }, { requestId });
    const reread = isOld ? READER_VERSION : kept?.reread;
    const request = { kind: 'inspection', demo_url: demoUrl, replay, found: known, reread } as const;
    const admission = inspectionAdmission(request, { labels, isTest }, { ...settings, blocked });
    const keepsTracks = known !== undefined;
    const identity = { id, accountId, clipId, version: asked.version };
    const event =
      added === 'job'
        ? ({ type: 'submit', identity, admission } as const)
        : ({ type: 'redo', admission, keepsTracks } as const);
    const begun = engine.apply(event, { request, requestId });
    if (!begun.ok) return refusedWith(begun, 'too_many_reruns');
  }
  const { stored } = engine;
  if (!stored) throw new Error('the inspection was not kept');
  return value({ demo: demoOf(stored.job, stored.request, settings), added });
}
