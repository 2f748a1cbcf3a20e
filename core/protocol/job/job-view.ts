import * as z from 'zod';
import type { Facts } from '#domain/failure/codes.ts';
import { fieldsOf, JOB_STATUSES, type Job, WORK_STAGES } from '#domain/job/job.ts';
import { JobErrorCode } from '#protocol/lib/problem.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { SubmitRequest } from '../clip/submit.ts';
import * as field from '../lib/fields.ts';

export const jobFields = {
  id: field.uuid('Id of the job.'),
  status: z.enum(JOB_STATUSES).meta({
    id: 'JobStatus',
    description:
      '`pending` waits for a render host, `prefetch` fetches the demo, `render` renders. `retrying` waits for the next attempt after a temporary failure. `done` and `error` are the two outcomes.',
  }),
  priority: field.flag('Whether the job was submitted with a reserved key.'),
  fps: field.integerOrNull('Frame rate of the request. Null if none was sent, which means 30.'),
  resolution: field.integer('Shorter side of the picture in pixels.'),
  clip_id: field.uuidOrNull('Id of the clip. Null until the job is `done`.'),
  error_code: JobErrorCode.nullable().describe(
    'The error code of the last attempt, while `retrying` or in `error`. Null otherwise.',
  ),
  created_at: field.time('Time when the job was submitted.'),
  finished_at: field.timeOrNull('Time when the job finished. Null before that.'),
};

/** Contract 2.2. */
const JobPayload = z
  .looseObject({
    ...SubmitRequest.omit({ force: true, webhook_auth_header: true }).shape,
    demo_url: field.text('Address of the demo, as it was sent. Empty once the request is no longer kept.'),
    resolution: field.integer('Resolution of the request, or the default.'),
    idempotency_key: field.textOrNull('Idempotency key of the request. Null if none was sent.'),
    extras: field.textOrNull('The value of `extras` as JSON text. Null if none was sent.'),
  })
  .meta({
    id: 'JobPayload',
    description: 'The stored request: the sent fields, without `force` and the auth header.',
  });

/** Contract 2.1. */
export const JobView = z.object({ ...jobFields, payload: JobPayload });

export type JobView = z.infer<typeof JobView>;

/** Contract 4.1, and 4.3. */
export const JobRef = z
  .object({ job_id: field.uuid('Id of the job.') })
  .meta({ id: 'JobRef', description: 'The id of a job.' });

/** The request as stored by its job. */
export interface KeptRequest {
  readonly demo_url: string;
  readonly fps?: number | undefined;
  readonly resolution: number;
  readonly idempotency_key?: string | undefined;
  readonly extras: string | null;
  /** Set when the request was deleted. */
  readonly forgotten?: object | undefined;
}

export function jobView(job: Job, request: KeptRequest): JobView {
  const { errorCode, finishedAt } = fieldsOf(job);
  return {
    id: job.id,
    status: job.status,
    priority: job.priority,
    fps: request.fps ?? null,
    resolution: request.resolution,
    clip_id: job.status === 'done' ? job.clipId : null,
    error_code: errorCode,
    created_at: isoTime(job.createdAt),
    finished_at: isoTimeOrNull(finishedAt),
    payload: { ...keptOf(request), idempotency_key: request.idempotency_key ?? null },
  };
}

/** Returns the rest of a deleted request without its empty values. */
function keptOf({ forgotten, ...request }: KeptRequest) {
  const { demo_url, fps, resolution, extras } = request;
  return forgotten ? { demo_url, resolution, extras, ...(fps === undefined ? {} : { fps }) } : request;
}

export const Stage = z
  .enum(WORK_STAGES)
  .meta({ id: 'WorkStage', description: 'The present step of the host, finer than its phase.' });

/** The most facts of a failure, and their length: they are stored in the job's row. */
const MOST_FACTS = 12;
const MOST_VALUES = 60;
const Fact = z.union([z.string().max(200), z.number(), z.boolean(), z.null()]);
export const FactsShape: z.ZodType<Facts> = z
  .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), z.union([Fact, z.array(Fact).max(MOST_VALUES)]))
  .refine((facts) => Object.keys(facts).length <= MOST_FACTS, `must be at most ${MOST_FACTS}`)
  .meta({
    id: 'Facts',
    description: 'Facts about a failure, for programs, as in `{"round_asked": 9, "rounds": [1, 2, 3]}`.',
  });
