import type { Settings } from '../../platform/settings.ts';
import { type Demo, demoMatch, demoOf, type HostInspection } from '../../protocol/demos.ts';
import type { JobEngine } from './job-engine.ts';
import type { StoredJob } from './stored-job.ts';
import { inspectionOf, type StoredInspection, type StoredRequest } from './stored-request.ts';
import type { InspectionAsked } from './words.ts';

/**
 * Queues an inspection of a demo, or retries a failed one, as often as `LIMIT_RERUNS` allows; returns any other as it
 * is.
 */
export function inspect(engine: JobEngine, asked: InspectionAsked, settings: Settings): Demo {
  const { jobId: id, accountId, clipId, database, demoUrl, labels, requestId } = asked;
  const { request, admission } = inspectionOf(demoUrl, labels, settings);
  if (!engine.stored) engine.create({ id, accountId, clipId, database }, admission, request, requestId);
  else if (engine.stored.job.status === 'error') engine.apply({ type: 'redo', admission }, { request, requestId });
  const { stored } = engine;
  if (!stored) throw new Error('the inspection was not kept');
  return demoOf(stored.job, stored.request, settings.demoTtl);
}

/** Whether nobody is to read of it any more, or there is nothing to read. */
export function isOver(stored: StoredJob | null, finishedBefore: number): boolean {
  if (!stored) return true;
  const { finishedAt } = stored.job;
  return stored.request.inspect === true && finishedAt !== null && finishedAt < finishedBefore;
}

/** The inspection with what a host has found; null for a job that makes a clip. */
export function withFound(request: StoredRequest | undefined, found: HostInspection): StoredInspection | null {
  return request?.inspect ? { ...request, found: demoMatch(found, request.demo_url) } : null;
}
