import { type Result, refuse, refusedWith, value } from '#domain/result.ts';
import type { Settings } from '#platform/settings.ts';
import { demoOf } from '#protocol/demos.ts';
import type { Inspected, InspectionRefusal, InspectionSubmission } from '#rpc/render-job.ts';
import type { JobEngine } from './job-engine.ts';
import { inspectionAdmission } from './stored-request.ts';

/** Queues an inspection, or a failed one again. Returns any other unchanged. */
export function inspect(
  engine: JobEngine,
  asked: InspectionSubmission,
  settings: Settings,
): Result<Inspected, InspectionRefusal> {
  const { jobId: id, accountId, clipId, demoUrl, shareCode: share_code, labels, requestId, full, blocked } = asked;
  const request = { kind: 'inspection', demo_url: demoUrl, share_code } as const;
  const admission = inspectionAdmission(request, labels, { ...settings, blocked });
  const { status } = engine.stored?.job ?? {};
  // With a share code, the demo is not stored, or not any more.
  const rerun = status === 'error' || (status === 'done' && share_code !== undefined) ? 'run' : null;
  const added = engine.stored ? rerun : 'job';
  if (added && (full === 'runs' || (full === 'jobs' && added === 'job'))) return refuse('limit_reached');
  if (added) {
    const identity = { id, accountId, clipId };
    const event =
      added === 'job' ? ({ type: 'submit', identity, admission } as const) : ({ type: 'redo', admission } as const);
    const result = engine.apply(event, { request, requestId });
    if (!result.ok) return refusedWith(result, 'too_many_reruns');
  }
  const { stored } = engine;
  if (!stored) throw new Error('the inspection was not kept');
  return value({ demo: demoOf(stored.job, stored.request, settings), added });
}
