import { isFinished } from '#domain/job.ts';
import { type Result, refuse, refusedWith, value } from '#domain/result.ts';
import { testEndOf } from '#domain/test-end.ts';
import type { Settings } from '#platform/settings.ts';
import { demoMatch, demoOf, HostInspection } from '#protocol/demos.ts';
import type { Inspected, InspectionRefusal, InspectionSubmission } from '#rpc/render-job.ts';
import type { JobEngine } from './job-engine.ts';
import type { OpenJob } from './open-job.ts';
import { byKind, inspectionAdmission } from './stored-request.ts';

/** Does the same for a test key. The sample demo's contents are found in every demo. */
export async function inspectTest(
  { engine, settings, world }: OpenJob,
  asked: InspectionSubmission,
): Promise<ReturnType<typeof inspect>> {
  const sample = await world.service().staticFile('test/demo.json');
  return inspect(engine, asked, settings, HostInspection.parse(await sample.json()));
}

/**
 * Queues an inspection; a failed one, and one that lacks the tracks that are asked for, again. Returns any other
 * unchanged.
 */
export function inspect(
  engine: JobEngine,
  asked: InspectionSubmission,
  settings: Settings,
  found?: HostInspection,
): Result<Inspected, InspectionRefusal> {
  const { jobId: id, accountId, clipId, demoUrl, shareCode: share_code, labels, requestId, full, blocked } = asked;
  const result = found && { found: demoMatch(found, demoUrl) };
  const wasAsked = engine.stored && byKind(engine.stored.request).inspection?.replay;
  const replay = asked.replay || wasAsked || undefined;
  const request = { kind: 'inspection', demo_url: demoUrl, share_code, replay, ...result } as const;
  const testEnd = asked.isTest ? testEndOf(demoUrl) : undefined;
  const admission = { ...inspectionAdmission(request, labels, { ...settings, blocked }), testEnd };
  const { status, tracks, removal } = engine.stored?.job ?? {};
  const lacksTracks = asked.replay && !tracks && !removal;
  // With a share code, the demo is not stored, or not any more.
  const isIncomplete = status === 'done' && (share_code !== undefined || lacksTracks);
  // The run under way writes no tracks.
  const isReplaced = status !== undefined && !isFinished(status) && lacksTracks && !wasAsked;
  const rerun = status === 'error' || isIncomplete || isReplaced ? 'run' : null;
  const added = engine.stored ? rerun : 'job';
  if (added && (full === 'runs' || (full === 'jobs' && added === 'job'))) return refuse('limit_reached');
  if (added) {
    if (isReplaced) engine.apply({ type: 'cancel', by: 'account' }, { requestId });
    const identity = { id, accountId, clipId, version: asked.version };
    const event =
      added === 'job' ? ({ type: 'submit', identity, admission } as const) : ({ type: 'redo', admission } as const);
    const begun = engine.apply(event, { request, requestId });
    if (!begun.ok) return refusedWith(begun, 'too_many_reruns');
  }
  const { stored } = engine;
  if (!stored) throw new Error('the inspection was not kept');
  return value({ demo: demoOf(stored.job, stored.request, settings), added });
}
