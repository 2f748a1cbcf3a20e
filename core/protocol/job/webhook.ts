import * as z from 'zod';
import { fieldsOf, type Job } from '#domain/job/job.ts';
import { JobErrorCode } from '#protocol/lib/problem.ts';
import { AnyJson } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';
import { clipUrls } from '../lib/routes.ts';

export const DELIVERY_ID_HEADER = 'X-Service-Delivery-Id';

export const ATTEMPT_HEADER = 'X-Service-Attempt';

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
  const outcome = outcomeOf(job, baseUrl);
  return { event: outcome.event, body: JSON.stringify(outcome) };
}

/** Adds the `extras` of a request to an outcome, with their text unchanged. */
export function withExtras(outcome: string, extras: string | null): string {
  return `${outcome.slice(0, -1)},"extras":${extras ?? 'null'}}`;
}

function outcomeOf(job: Job, baseUrl: string): Omit<WebhookPayload, 'extras'> {
  const { clipId } = job;
  if (job.status === 'done' && job.clip) {
    const urls = clipUrls(baseUrl, clipId);
    return {
      event: 'job.completed',
      job_id: job.id,
      clip_id: clipId,
      clip_url: urls.embed,
      video_url: urls.video,
      thumbnail_url: urls.thumbnail,
      clip_duration: job.clip.durationSeconds,
      status: 'processed',
      error_code: null,
    };
  }
  return {
    event: 'job.failed',
    job_id: job.id,
    clip_id: null,
    clip_url: null,
    video_url: null,
    thumbnail_url: null,
    clip_duration: null,
    status: 'error',
    error_code: fieldsOf(job).errorCode,
  };
}
