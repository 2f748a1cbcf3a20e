import { type Result, refuse, refusedWith, value } from '#domain/result.ts';
import type { Settings } from '#platform/settings.ts';
import { demoMatch, demoOf, type HostInspection } from '#protocol/demos.ts';
import type { Inspected, InspectionRefusal, InspectionSubmission } from '#rpc/render-job.ts';
import type { JobEngine } from './job-engine.ts';
import type { StoredJob } from './stored-job.ts';
import { inspectionAdmission, type StoredInspection, type StoredRequest } from './stored-request.ts';

/** Queues an inspection, or a failed one again. Returns any other unchanged. */
export function inspect(
  engine: JobEngine,
  asked: InspectionSubmission,
  settings: Settings,
): Result<Inspected, InspectionRefusal> {
  const { jobId: id, accountId, clipId, demoUrl, labels, requestId, full } = asked;
  const request = { kind: 'inspection', demo_url: demoUrl } as const;
  const admission = inspectionAdmission(request, labels, settings);
  const rerun = engine.stored?.job.status === 'error' ? 'run' : null;
  const added = engine.stored ? rerun : 'job';
  if (added && (full === 'runs' || (full === 'jobs' && added === 'job'))) return refuse('no_room');
  if (added) {
    const identity = { id, accountId, clipId };
    const event =
      added === 'job' ? ({ type: 'submit', identity, admission } as const) : ({ type: 'redo', admission } as const);
    const result = engine.apply(event, { request, requestId });
    if (!result.ok) return refusedWith(result, 'too_many_reruns');
  }
  const { stored } = engine;
  if (!stored) throw new Error('the inspection was not kept');
  return value({ demo: demoOf(stored.job, stored.request, settings.demoTtl), added });
}

/** Whether an inspection may be deleted: it ended before the time, or does not exist. */
export function isOver(stored: StoredJob | null, finishedBefore: number): boolean {
  if (!stored) return true;
  const { job } = stored;
  return job.work.kind === 'inspection' && 'finishedAt' in job && job.finishedAt < finishedBefore;
}

/** Returns the inspection with the host's result; null for a job that makes a clip. */
export function withFound(request: StoredRequest | undefined, found: HostInspection): StoredInspection | null {
  return request?.kind === 'inspection' ? { ...request, found: demoMatch(found, request.demo_url) } : null;
}
