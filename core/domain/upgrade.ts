import { baseOf, type Job, type JobBase, leaseOf, type Upgrade } from './job.ts';
import { type Effect, type JobEvent, SETTLE, type StateChange, type Transition, unchanged } from './job-event.ts';
import type { Schedule } from './schedule.ts';
import { attemptPrefix } from './storage-keys.ts';

/** The longest time between two offers of an upgrade, in milliseconds. Many may wait for days. */
const REOFFER_MAX_MS = 4 * 60 * 60_000;

/** Events that apply to the upgrade instead of its job, which is done. */
const OF_RUNS: ReadonlySet<JobEvent['type']> = new Set([
  ...(['claim', 'heartbeat', 'upload-begun', 'complete', 'inspected', 'fail', 'release', 'not-taken'] as const),
  ...(['lease-expired', 'retry-due', 'run-overdue', 'no-host-left', 'resumed'] as const),
]);

/** Effects that notify the client or count its use. An upgrade has none of them. */
const OUTCOMES: ReadonlySet<Effect['type']> = new Set(['announce', 'meter']);

/** Returns the run that hosts work on: the upgrade in the form of a job, or the job itself. */
export function runOf(job: Job): Job {
  if (!job.upgrade) return job;
  const base = { ...baseOf(job), upgrade: undefined, fallback: undefined, renderer: 'cs2', lastEnd: null } as const;
  return { ...base, ...job.upgrade };
}

/** Returns a new upgrade. It waits until `retryAt`, so that the slot of the radar's host is free by then. */
export function newUpgrade({ fence, refusedBuilds }: JobBase, now: number, retryAt: number): Upgrade {
  const counts = { attempt: 0, hostMs: 0, unconfirmed: 0, fence };
  const reason = { errorCode: 'demo_incompatible', errorDetail: null } as const;
  return { ...counts, queuedAt: now, avoidHost: null, refusedBuilds, status: 'retrying', retryAt, ...reason };
}

/** Returns the waits of the run that hosts work on. */
export function scheduleOf(job: Job, schedule: Schedule): Schedule {
  return job.upgrade ? { ...schedule, reofferMax: REOFFER_MAX_MS } : schedule;
}

/** Whether an event applies to the upgrade of a job. Reports under the job's fence, or an earlier one, do not. */
export function isOfUpgrade(job: Job, event: JobEvent): boolean {
  return OF_RUNS.has(event.type) && !('fence' in event && event.fence <= job.fence);
}

/**
 * Returns the job after an event of its upgrade. `before` and `result`: its run before and after the event. A finished
 * upgrade replaces the clip's files and is announced. One that failed for good leaves job and clip as they were.
 */
export function afterUpgrade(job: Job, before: Job, result: Transition): Transition {
  if (!result.ok) return result;
  if (result.job === before) return unchanged(job);
  const { job: run, effects } = result;
  const { version, fence } = run;
  const kept = effects.filter(({ type }) => !OUTCOMES.has(type));
  if (run.status === 'done' && run.clip && job.clip) {
    // It expires at the same time as the first clip.
    const clip = { ...run.clip, renderedAt: job.clip.renderedAt };
    const { renderedBy, lastEnd } = run;
    const again: Effect[] = [{ type: 'cancel-webhooks' }, { type: 'announce' }];
    const upgraded = { ...job, version, fence, upgrade: undefined, clip, renderedBy, lastEnd };
    return { ok: true, job: upgraded, effects: [...again, ...kept] };
  }
  const quiet = kept.map((effect) => (effect.type === 'project' ? ({ ...effect, isQuiet: true } as const) : effect));
  const upgrade = partOf(run);
  if (upgrade) return { ok: true, job: { ...job, version, upgrade }, effects: quiet };
  return { ok: true, job: { ...job, version, fence, upgrade: undefined }, effects: quiet };
}

/** Returns what is stored of an unfinished run; null for a finished one. */
function partOf(run: Job): Upgrade | null {
  const { attempt, hostMs, unconfirmed, fence, queuedAt, avoidHost, refusedBuilds } = run;
  const part = { attempt, hostMs, unconfirmed, fence, queuedAt, avoidHost, refusedBuilds };
  switch (run.status) {
    case 'pending':
      return { ...part, status: run.status };
    case 'prefetch':
    case 'render':
      return { ...part, status: run.status, lease: run.lease };
    case 'retrying': {
      const { status, retryAt, errorCode, errorDetail } = run;
      return { ...part, status, retryAt, errorCode, errorDetail };
    }
    default:
      return null;
  }
}

/** Ends the upgrade after a recovery, or a change that leaves no clip to upgrade, such as a deletion or a re-run. */
export function endUpgradeWith(before: Job, event: JobEvent, result: Transition): Transition {
  if (!result.ok || !before.upgrade) return result;
  const { job } = result;
  const isKept = job.status === 'done' && job.clip?.state === 'ready';
  // A repair of the index has seen no fence.
  if (isKept && !(event.type === 'recovered' && event.fence > 0)) return result;
  return withoutUpgrade(before, before.upgrade, result);
}

function withoutUpgrade(before: Job, { fence }: Upgrade, { job, effects }: StateChange): StateChange {
  const lease = leaseOf(runOf(before));
  const { uploads = [] } = lease ?? {};
  // An offer frees the slot of the host as well.
  const isOffered = effects.some(({ type }) => type === 'offer');
  const ended: Effect[] = [
    ...(isOffered ? [] : [SETTLE]),
    ...(uploads.length > 0 ? [{ type: 'abort-uploads', uploads } as const] : []),
    ...(lease ? [{ type: 'delete-files', prefix: attemptPrefix(job.clipId, fence) } as const] : []),
  ];
  const changed = { ...job, upgrade: undefined, fence: Math.max(job.fence, fence) };
  return { ok: true, job: changed, effects: [...effects, ...ended] };
}
