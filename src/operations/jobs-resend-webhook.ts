import { MAX_OPEN_DELIVERIES } from '#domain/delivery.ts';
import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { ProblemError } from '#http/problem.ts';
import { rateHeaders, rateLimited } from '#http/rate-limit.ts';
import type { ApiHandler } from './api-handler.ts';

const HOUR_MS = 60 * 60 * 1000;

/** `POST /api/jobs/:id/resend-webhook` (contract 4.4). */
export const resendWebhook: ApiHandler<'job' | 'settings', 'id'> = async ({ job, settings }, { caller, params }) => {
  const policy = { name: 'resends', limit: settings.limits.resendsAnHour, windowMs: HOUR_MS };
  const { deliveryId, remaining } = accepted(await job(params.id).resendWebhook(caller.accountId), {
    job_in_flight: () =>
      new ProblemError(
        'job_in_flight',
        'This run of the job has no outcome yet, and the webhook of the run before it was given up.',
      ),
    too_many_deliveries: () =>
      new ProblemError(
        'too_many_deliveries',
        `${MAX_OPEN_DELIVERIES} webhooks of this job are still on their way; they have to arrive or be used up first.`,
        { headers: { 'Retry-After': '60' } },
      ),
    // The hour counts from each webhook: after a whole one, there is room for certain.
    too_many_resends: () => rateLimited(policy, HOUR_MS, 0),
    no_webhook: () =>
      new ProblemError(
        'no_webhook',
        'The job has no webhook that could be sent: no webhook_url, or one whose secret has been forgotten.',
      ),
  });
  return json({ delivery_id: deliveryId }, 200, rateHeaders(policy, HOUR_MS, remaining));
};
