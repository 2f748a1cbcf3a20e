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
    // The hour counts from each webhook: after a whole one, there is room for certain.
    too_many_resends: () => rateLimited(policy, HOUR_MS, 0),
  });
  return json({ delivery_id: deliveryId }, 200, rateHeaders(policy, HOUR_MS, remaining));
};
