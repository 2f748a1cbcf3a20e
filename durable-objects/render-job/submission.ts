import { isFinished } from '#domain/job.ts';
import { refusedWith } from '#domain/result.ts';
import type { Settings } from '#platform/settings.ts';
import type { JobEngine } from './job-engine.ts';
import { admissionOf, fingerprintOf, isSameRequest, storedRequest } from './stored-request.ts';
import type { Submission, SubmitOutcome } from './words.ts';

/** Queues a new job, replays an existing one, or redoes a finished one in place. */
export function submitTo(
  engine: JobEngine,
  { database, asks, request, requestId, full, ...submitted }: Submission,
  settings: Settings,
): SubmitOutcome | Promise<SubmitOutcome> {
  const { jobId: id, accountId, clipId, priority } = submitted;
  const kept = storedRequest(request);
  const { frames = settings.limits.frames, ...asked } = asks ?? { renderer: null, labels: [] };
  const admission = admissionOf(request, kept, { priority, frames, ...asked }, settings);
  const { stored } = engine;
  if (!stored) {
    if (full) return 'no_room';
    const identity = { id, accountId, clipId, database };
    engine.apply({ type: 'submit', identity, admission }, { request: kept, requestId });
    return 'created';
  }
  if (request.force === true && isFinished(stored.job.status)) {
    if (full === 'runs') return 'no_room';
    const redone = engine.apply({ type: 'redo', admission }, { request: kept, requestId });
    return redone.ok ? 'redone' : refusedWith(redone, 'too_many_reruns').refusal;
  }
  const forgotten = stored.request.kind === 'clip' && stored.request.forgotten;
  if (!forgotten) return isSameRequest(stored, request, kept) ? 'replayed' : 'differs';
  const fingerprint = fingerprintOf(settings.clipIdSecret, id, kept);
  return fingerprint.then((sent) => (sent === forgotten.fingerprint ? 'replayed' : 'differs'));
}
