import * as z from 'zod';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { JobErrorCode } from '#protocol/lib/problem.ts';
import { AnyJson } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';
import { clipUrls } from '../lib/routes.ts';

export const DELIVERY_ID_HEADER = 'X-Service-Delivery-Id';

export const ATTEMPT_HEADER = 'X-Service-Attempt';

/** Is `radar` for a clip that the radar made. Other webhooks have no such header. */
export const RENDERER_HEADER = 'X-Service-Renderer';

/** Marks a request as a webhook of this service. The service answers it with 508, because it would call itself. */
export const HOP_HEADER = 'X-Service-Hop';

/** Contract 6.3. Values that do not apply are null, never absent. */
export const WebhookPayload = z
  .object({
    event: z.enum(['job.completed', 'job.failed']).describe('The outcome of the job.'),
    job_id: field.uuid('Id of the job.'),
    clip_id: field.uuidOrNull('Id of the clip. Null for a failed job.'),
    clip_url: field.urlOrNull('Address of the player alone, for an iframe. Null for a failed job.'),
    video_url: field.urlOrNull('Address of the MP4 file. Null for a failed job.'),
    thumbnail_url: field.urlOrNull('Address of the JPEG file. Null for a failed job.'),
    clip_duration: field.numberOrNull(
      'Length of the clip in seconds. 0 if it could not be read. Null for a failed job.',
    ),
    status: z.enum(['processed', 'error']).describe('`processed` with `job.completed`, else `error`.'),
    error_code: JobErrorCode.nullable().describe('The error code of a failed job. Null for a completed one.'),
    extras: AnyJson,
  })
  .meta({ id: 'WebhookEvent', description: 'The outcome of a job. Fields that do not apply are null, never absent.' });

export type WebhookPayload = z.infer<typeof WebhookPayload>;

/** Returns the webhook body of a finished job as JSON, without the request's `extras`. */
export function webhookOutcome(
  job: Job,
  baseUrl: string,
): { readonly event: WebhookPayload['event']; readonly body: string } {
  const clip = job.status === 'done' && job.clip ? { id: job.clipId, seconds: job.clip.durationSeconds } : null;
  const outcome = outcomeOf(job.id, clip, fieldsOf(job).errorCode, baseUrl);
  return { event: outcome.event, body: JSON.stringify(outcome) };
}

/** Adds the `extras` of a request to an outcome, with their text unchanged. */
export function withExtras(outcome: string, extras: string | null): string {
  return `${outcome.slice(0, -1)},"extras":${extras ?? 'null'}}`;
}

/** Returns the outcome of a job with a clip, or of one that failed with a code. */
export function outcomeOf(
  jobId: string,
  clip: { readonly id: string; readonly seconds: number } | null,
  errorCode: string | null,
  baseUrl: string,
): Omit<WebhookPayload, 'extras'> {
  const urls = clip && clipUrls(baseUrl, clip.id);
  return {
    event: clip ? 'job.completed' : 'job.failed',
    job_id: jobId,
    clip_id: clip?.id ?? null,
    clip_url: urls?.embed ?? null,
    video_url: urls?.video ?? null,
    thumbnail_url: urls?.thumbnail ?? null,
    clip_duration: clip?.seconds ?? null,
    status: clip ? 'processed' : 'error',
    error_code: clip ? null : errorCode,
  };
}
