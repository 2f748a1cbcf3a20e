import { HOME } from '../../domain/home-database.ts';
import type { Settings } from '../../platform/settings.ts';
import type { JobEngine } from './job-engine.ts';
import { admissionOf, fingerprintOf, isSameRequest, storedRequest } from './stored-request.ts';
import type { Submission, SubmitOutcome } from './words.ts';

/** Queues a new job, replays an existing one, or redoes a finished one in place. */
export function submitTo(
  engine: JobEngine,
  { database = HOME, asks, request, requestId, ...submitted }: Submission,
  settings: Settings,
): SubmitOutcome | Promise<SubmitOutcome> {
  const { jobId: id, accountId, clipId, priority } = submitted;
  const kept = storedRequest(request);
  const admission = admissionOf(request, kept, { priority, renderer: null, labels: [], ...asks }, settings);
  const { stored } = engine;
  if (!stored) {
    engine.create({ id, accountId, clipId, database }, admission, kept, requestId);
    return 'created';
  }
  const redone = request.force === true && engine.apply({ type: 'redo', admission }, { request: kept, requestId })?.ok;
  if (redone) return 'redone';
  const { forgotten } = stored.request;
  if (!forgotten) return isSameRequest(stored, request, kept) ? 'replayed' : 'differs';
  const fingerprint = fingerprintOf(settings.clipIdSecret, id, kept);
  return fingerprint.then((sent) => (sent === forgotten.fingerprint ? 'replayed' : 'differs'));
}
