import { assertExhaustive } from '#domain/lib/types.ts';
import type { JobStatus } from './job.ts';
import type { Schedule } from './schedule.ts';

/**
 * The machine of a rule's run: what a rule does with one demo. A run waits until the demo is read, takes its clips from
 * the budgets, submits them as jobs, and ends with the last of these. `advanceRuns` (core/service) steps it.
 */

export const RUN_STATES = ['waiting', 'submitting', 'running', 'done', 'failed', 'skipped'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The webhook of a run that ended without a job. `nextAt`: milliseconds since the epoch. */
export interface RunNotice {
  readonly id: string;
  readonly attempts: number;
  readonly nextAt: number;
  /** Whether the next attempt has its place in the hourly budget already. */
  readonly hasPlace?: boolean;
}

export interface RuleRun {
  readonly state: RunState;
  /** Whether its match was read. It then counts towards the day's demos of the rule. */
  readonly isRead: boolean;
  /** Clips that it has taken from the budgets of the day. */
  readonly clips: number;
  /** The moments that it renders: more than `clips` beyond a budget, fewer if the rest was refused. */
  readonly requests: readonly object[];
  /** Why it waits, or why it made no clip, or fewer. */
  readonly detail: string | null;
  /** The job that sends the post. */
  readonly postedBy: string | null;
  readonly notice: RunNotice | null;
  /** When the demo came, or the run was revived. Budgets and the deadline count from here. */
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** A new run, and what a revived one becomes: it has made no job. */
export const NEW_RUN = {
  state: 'waiting',
  isRead: false,
  clips: 0,
  requests: [],
  detail: null,
  postedBy: null,
  notice: null,
  endedAt: null,
} as const satisfies Partial<RuleRun>;

/** What the budgets of the day have left. */
export interface RunRoom {
  readonly demos: number;
  readonly clips: number;
}

/** A job of a run, as the index has it. */
export interface RunJob {
  readonly id: string;
  readonly status: JobStatus;
  readonly error_code: string | null;
  readonly finished_at: number | null;
}

export type RunEvent =
  /** Something that passes: a limit, a pause of the service, a suspension. */
  | { readonly type: 'held'; readonly why: string }
  /** `isFault`: it counts as a failure of the rule. */
  | { readonly type: 'refused'; readonly why: string; readonly isFault: boolean }
  /** A host has read the demo. `mismatch`: why the rule does not act on it. */
  | {
      readonly type: 'read';
      readonly mismatch: string | null;
      readonly moments: readonly object[];
      readonly room: RunRoom;
    }
  | { readonly type: 'submitted' }
  | { readonly type: 'jobs-ended'; readonly jobs: readonly RunJob[] }
  /** Its post is handed to a job. */
  | { readonly type: 'posted' }
  /** Discord has taken the post, or has refused it for good. */
  | { readonly type: 'post-ended'; readonly fault: string | null }
  | { readonly type: 'noticed'; readonly isDelivered: boolean }
  | { readonly type: 'notice-waits'; readonly until: number };

export interface RunContext {
  readonly now: number;
  readonly schedule: Pick<Schedule, 'runDeadline' | 'webhookSpacing' | 'webhookAttempts'>;
  /** How many of its jobs exist. */
  readonly made: number;
  /** Whether its rule posts to Discord, and whether it has a webhook. */
  readonly hasPost: boolean;
  readonly hasWebhook: boolean;
  /** For the id of a notice. */
  readonly newId: () => string;
}

/** `failures`: how the rule's failures in a row change. */
export interface RunChange {
  readonly run: RuleRun;
  readonly failures?: 'one-more' | 'none';
}

export const DEMOS_USED = 'the rule has used its demos of the day';

/** Applies one event to a run. Returns the same run for an event that changes nothing. */
export function advanceRun(run: RuleRun, event: RunEvent, context: RunContext): RunChange {
  const { state } = run;
  switch (event.type) {
    case 'held': {
      if (!hasJobsToSubmit(run)) return { run };
      const isOver = context.now >= run.createdAt + context.schedule.runDeadline;
      if (isOver) return endEarly(run, 'skipped', event.why, context);
      return { run: event.why === run.detail ? run : { ...run, detail: event.why } };
    }
    case 'refused':
      return hasJobsToSubmit(run) ? endEarly(run, event.isFault ? 'failed' : 'skipped', event.why, context) : { run };
    case 'read':
      return state === 'waiting' ? claim(run, event, context) : { run };
    case 'submitted':
      return state === 'submitting' ? { run: { ...run, state: 'running', detail: shortageOf(run) } } : { run };
    case 'jobs-ended':
      return state === 'running' ? close(run, event.jobs, context) : { run };
    case 'posted':
      return state === 'running' ? { run: { ...run, state: 'done', endedAt: context.now } } : { run };
    case 'post-ended':
      if (event.fault === null) return { run, failures: 'none' };
      if (state !== 'done') return { run };
      return { run: { ...run, state: 'failed', detail: event.fault, endedAt: context.now }, failures: 'one-more' };
    case 'noticed':
      return { run: { ...run, notice: event.isDelivered ? null : nextNotice(run.notice, context) } };
    case 'notice-waits':
      return { run: { ...run, notice: run.notice && { ...run.notice, nextAt: event.until, hasPlace: true } } };
    default:
      return assertExhaustive(event);
  }
}

function hasJobsToSubmit({ state }: RuleRun): boolean {
  return state === 'waiting' || state === 'submitting';
}

/** Takes clips from the budgets, as many as they have left. */
function claim(
  run: RuleRun,
  { mismatch, moments, room }: Extract<RunEvent, { type: 'read' }>,
  context: RunContext,
): RunChange {
  const skip = (why: string, isRead: boolean) => endEarly({ ...run, isRead }, 'skipped', why, context);
  if (room.demos < 1) return skip(DEMOS_USED, false);
  if (mismatch !== null) return skip(mismatch, true);
  if (moments.length === 0) return skip('the demo has no such moment', true);
  const clips = Math.max(0, Math.min(moments.length, room.clips));
  const claimed = { ...run, isRead: true, clips, requests: moments };
  const detail = shortageOf(claimed);
  if (clips === 0) return skip(detail ?? '', true);
  return { run: { ...claimed, state: 'submitting', detail } };
}

function shortageOf({ clips, requests }: RuleRun): string | null {
  if (requests.length <= clips) return null;
  return `the budget of the day has room for ${clips} of ${requests.length} clips`;
}

/**
 * Ends a run before it has submitted all of its jobs. With some of them it goes on, and keeps what it has claimed.
 * Without any, its customer learns why by a webhook, because no job has one.
 */
function endEarly(run: RuleRun, state: 'failed' | 'skipped', why: string, context: RunContext): RunChange {
  const { made, now } = context;
  if (made > 0) {
    const detail = `${made} of ${run.clips} clips: ${why}`;
    return { run: { ...run, state: 'running', requests: run.requests.slice(0, made), detail } };
  }
  const notice = context.hasWebhook ? { id: context.newId(), attempts: 0, nextAt: now } : null;
  const ended = { ...run, state, detail: why, notice, endedAt: now };
  return state === 'failed' ? { run: ended, failures: 'one-more' } : { run: ended };
}

/** Ends a run whose jobs have ended. A post is first handed to the job that ended last. */
function close(run: RuleRun, jobs: readonly RunJob[], { now, hasPost }: RunContext): RunChange {
  const [failed] = jobs.flatMap(({ error_code }) => error_code ?? []).sort();
  if (!jobs.some(({ status }) => status === 'done')) {
    const ended = { ...run, state: 'failed', detail: `no clip was made: ${failed}`, endedAt: now } as const;
    return { run: ended, failures: 'one-more' };
  }
  const last = jobs.reduce((a, b) => ((b.finished_at ?? 0) >= (a.finished_at ?? 0) ? b : a));
  if (hasPost) return { run: run.postedBy === null ? { ...run, postedBy: last.id } : run };
  return { run: { ...run, state: 'done', endedAt: now }, failures: 'none' };
}

/** Returns the next attempt of a webhook that was not delivered; null if none is left. */
function nextNotice(notice: RunNotice | null, { now, schedule }: RunContext): RunNotice | null {
  const attempts = (notice?.attempts ?? 0) + 1;
  if (notice === null || attempts >= schedule.webhookAttempts) return null;
  return { id: notice.id, attempts, nextAt: now + schedule.webhookSpacing };
}

/** Failed runs in a row that pause a rule. */
export const MOST_FAILURES = 5;

export const pauseReasonOf = (detail: string | null): string =>
  `${MOST_FAILURES} runs in a row have failed; the last one: ${detail ?? 'no reason is known'}`;
