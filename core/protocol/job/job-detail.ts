import * as z from 'zod';
import { ERROR_CODES, type ErrorCode, type Facts } from '#domain/failure/codes.ts';
import { explainFailure } from '#domain/failure/help.ts';
import type { QueueEstimate, Wait } from '#domain/host/wait.ts';
import {
  ATTEMPT_OUTCOMES,
  type EndedAttempt,
  fieldsOf,
  type Job,
  leaseOf,
  WORK_STAGES,
  type WorkStage,
} from '#domain/job/job.ts';
import { JobErrorCode } from '#protocol/lib/problem.ts';
import { includeOf, isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { madeWith } from '../clip/clip-view.ts';
import * as field from '../lib/fields.ts';
import { href, PUBLIC_ROUTES, replayUrl } from '../lib/routes.ts';
import { FactsShape, JobRef, JobView, jobFields } from './job-view.ts';

/** What `GET /api/jobs/:id?include=…` and the events of a job add to it. */

export const JOB_INCLUDES = ['diagnosis', 'attempts', 'progress', 'queue', 'renderer', 'rule', 'replay'] as const;
export type JobInclude = (typeof JOB_INCLUDES)[number];
export const JobQuery = z.object({ include: includeOf(JOB_INCLUDES) });

const stage = z.enum(WORK_STAGES).nullable().describe('The last step that the host reported. Null before that.');
const retry_at = field.timeOrNull('Time of the next attempt. Null if there will be none.');
const cause = {
  summary: field.text('The cause and what you can do about it, in a sentence or two.'),
  facts: FactsShape.nullable().describe('Facts about the cause, for programs. Null if there are none.'),
  retryable: field.flag('Whether another attempt may succeed without a change of the request.'),
};

export const Diagnosis = z
  .object({
    error_code: JobErrorCode.describe('The `error_code` of the job.'),
    ...cause,
    retry_at,
    docs_url: z
      .string()
      .meta({ description: 'Address of the page on this code, with its causes and what to do.', format: 'uri' }),
  })
  .meta({ id: 'Diagnosis', description: 'The reason why the job is in `error` or `retrying`.' });

const Attempt = z
  .object({
    host: field.textOrNull('The name that the operator gave the host. Null for unnamed hosts.'),
    outcome: z
      .enum(['working', ...ATTEMPT_OUTCOMES])
      .describe(
        'The state of the attempt. `working` is under way. `handed_back`: the host was stopped, which costs the job no attempt.',
      ),
    phase: z.enum(['prefetch', 'render']).describe('The phase that the attempt reached.'),
    stage,
    started_at: field.time('Time when the host got the job.'),
    ended_at: field.timeOrNull('Time when the attempt ended. Null while it is under way.'),
    error_code: JobErrorCode.nullable().describe('The error code of the attempt. Null if it did not fail.'),
    summary: cause.summary.nullable(),
    facts: cause.facts,
    retryable: cause.retryable,
    retry_at,
  })
  .meta({ id: 'Attempt', description: 'One attempt of a host to make the clip.' });
type Attempt = z.infer<typeof Attempt>;

const Progress = z
  .object({
    phase: jobFields.status,
    stage,
    progress: field.numberOrNull('Share of the whole job that is done, from 0 to 1. Null while no host works on it.'),
    heard_at: field.timeOrNull('Time of the last heartbeat of the host. Null without a host.'),
  })
  .meta({ id: 'Progress', description: 'The progress of the job.' });

export const QueuePlace = z
  .object({
    position: field.integerOrNull(
      'Position in the queue, from 1. Null beyond about 1,000 and for jobs outside of the queue.',
    ),
    estimate_s: field.integerOrNull(
      'Estimated seconds until a host takes the job, at the pace of the last minutes. Null if there is no estimate.',
    ),
    renderer: madeWith.describe('The renderer that the job waits for. Null for any.'),
    reason: field.text('The reason as a code, such as `hosts_busy`. New codes may be added.'),
    text: field.text('The reason in a sentence.'),
    hosts: field.integer('Number of hosts that can render the job.'),
    until: field.timeOrNull('Time when the reason ends. Null if it is not known.'),
  })
  .meta({ id: 'QueuePlace', description: 'The reason why a job waits, and its position in the queue.' });
export type QueuePlace = z.infer<typeof QueuePlace>;

export function queuePlace(
  { renderer }: Pick<Job, 'renderer'>,
  { reason, text, hosts, until }: Wait,
  place: QueueEstimate | null = null,
): QueuePlace {
  const { position = null, estimateS = null } = place ?? {};
  // The pace of a queue is that of jobs which hosts could take.
  const isServed = hosts > 0 && reason !== 'hosts_held';
  const estimate_s = isServed ? estimateS : null;
  return { position, estimate_s, renderer, reason, text, hosts, until: isoTimeOrNull(until) };
}

/** Each is present if it was included. */
const jobIncludes = {
  diagnosis: Diagnosis.nullable().optional().describe('The diagnosis of a failure. Null if the job has not failed.'),
  attempts: z.array(Attempt).optional().describe('The latest attempts of this run, oldest first.'),
  progress: Progress.optional(),
  queue: QueuePlace.nullable().optional().describe('The position in the queue. Null unless the job waits.'),
  renderer: madeWith.optional(),
  rule: z
    .object({ id: z.uuid(), run: z.uuid() })
    .nullable()
    .optional()
    .describe('Ids of the rule that made the job, and of its run. Null for a job of a client.'),
  replay: field
    .textOrNull(
      'Address of the page that plays the ticks of the clip until the video is ready. Null if it was not published (`POST /api/jobs/:id/replay`).',
    )
    .optional(),
};
export const JobReplay = JobRef.extend({
  replay: z.url().describe('Address of the page that plays the ticks of the clip, and the video when it is ready.'),
}).meta({ id: 'JobReplay', description: 'The replay of a job.' });

const { progress: _progress, ...others } = jobIncludes;
/** The same for a notice, which always has the progress: `progress` adds only the rest. */
const moreOfNotice = { ...others, ...Progress.pick({ stage: true, heard_at: true }).partial().shape };
type MoreOfNotice = Omit<JobIncludes, 'progress'> & Partial<Pick<z.infer<typeof Progress>, 'stage' | 'heard_at'>>;

export const JobDetail = JobView.extend(jobIncludes).meta({
  id: 'Job',
  description: 'A render job, with the included fields.',
});
export type JobDetail = z.infer<typeof JobDetail>;
export type JobIncludes = Pick<JobDetail, JobInclude>;

/** The activity of a job's present attempt, and its place in the queue; see core/rpc/render-job.ts. */
export interface AttemptActivity {
  readonly progress: number | null;
  readonly stage: WorkStage | null;
  readonly heardAt: number | null;
  readonly queue: QueuePlace | null;
  readonly rule: JobDetail['rule'];
  /** The service's URL, for links. */
  readonly baseUrl: string;
  /** Returns the ended attempts of this run in order. Called only if they are included. */
  ended(): readonly EndedAttempt[];
}

export function includesOf(job: Job, wanted: readonly JobInclude[], activity: AttemptActivity): JobIncludes {
  const made = {
    diagnosis: () => diagnosisOf(job, activity.baseUrl),
    attempts: () => attemptsOf(job, activity),
    progress: () => ({
      phase: job.status,
      stage: activity.stage,
      progress: activity.progress,
      heard_at: isoTimeOrNull(activity.heardAt),
    }),
    queue: () => activity.queue,
    renderer: () => job.clip?.renderer ?? null,
    rule: () => activity.rule,
    replay: () => (job.tracks ? replayUrl(activity.baseUrl, job.clipId) : null),
  };
  return Object.fromEntries(wanted.map((name) => [name, made[name]()]));
}

export function moreOf(job: Job, wanted: readonly JobInclude[], activity: AttemptActivity): MoreOfNotice {
  const { progress, ...rest } = includesOf(job, wanted, activity);
  return progress ? { ...rest, stage: progress.stage, heard_at: progress.heard_at } : rest;
}

export function diagnosisOf(job: Job, baseUrl: string): z.infer<typeof Diagnosis> | null {
  const { errorCode, lastEnd, retryAt } = fieldsOf(job);
  if (errorCode === null) return null;
  return {
    error_code: errorCode,
    ...causeOf(errorCode, lastEnd?.code === errorCode ? lastEnd.facts : null),
    retry_at: isoTimeOrNull(retryAt),
    docs_url: baseUrl + href(PUBLIC_ROUTES.errorDocs, { code: errorCode }),
  };
}

function attemptsOf(job: Job, activity: AttemptActivity): Attempt[] {
  const lease = leaseOf(job);
  const ended = activity.ended().map(endedAttempt);
  if (!lease?.isConfirmed) return ended;
  return [
    ...ended,
    {
      host: lease.hostName ?? null,
      outcome: 'working',
      phase: job.status === 'render' ? 'render' : 'prefetch',
      stage: activity.stage,
      started_at: isoTime(lease.grantedAt),
      ended_at: null,
      ...NO_CAUSE,
    },
  ];
}

const NO_CAUSE = { error_code: null, summary: null, facts: null, retryable: false, retry_at: null } as const;

function endedAttempt({
  hostName,
  outcome,
  phase,
  stage,
  grantedAt,
  endedAt,
  code,
  facts,
  retryAt,
}: EndedAttempt): Attempt {
  return {
    host: hostName,
    outcome,
    phase,
    stage,
    started_at: isoTime(grantedAt),
    ended_at: isoTime(endedAt),
    ...(code === null ? NO_CAUSE : { error_code: code, ...causeOf(code, facts), retry_at: isoTimeOrNull(retryAt) }),
  };
}

function causeOf(code: ErrorCode, facts: Facts | null) {
  const known: { retryable: boolean } | undefined = ERROR_CODES[code];
  return { summary: explainFailure(code, facts), facts, retryable: known?.retryable ?? false };
}

/** The data of an event of `GET /api/jobs/:id/events`, sent at each change of the job. */
export const JobNotice = z
  .object({
    status: jobFields.status,
    progress: field.numberOrNull('Share of the whole job that is done, from 0 to 1. Null while no host works on it.'),
    attempt: field.integer('Number of attempts since you last submitted or resubmitted the job.'),
    error_code: jobFields.error_code,
    ...moreOfNotice,
  })
  .meta({ id: 'JobNotice', description: 'A change of a job that you follow.' });
export type JobNotice = z.infer<typeof JobNotice>;
