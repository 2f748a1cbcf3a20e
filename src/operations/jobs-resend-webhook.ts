import { MAX_OPEN_DELIVERIES } from '../../domain/delivery.ts';
import { json } from '../../http/json.ts';
import { notFound, ProblemError } from '../../http/problem.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/jobs/:id/resend-webhook` (spec 4.4). */
export const resendWebhook: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  const outcome = await job(params.id).resendWebhook(caller.accountId);
  if (outcome === null) throw notFound();
  if (outcome === 'in_flight') {
    throw new ProblemError(
      'job_in_flight',
      'This run of the job has no outcome yet, and the webhook of the run before it was given up.',
    );
  }
  if (outcome === 'too_many') {
    throw new ProblemError(
      'too_many_deliveries',
      `${MAX_OPEN_DELIVERIES} webhooks of this job are still on their way; they have to arrive or be used up first.`,
      { headers: { 'Retry-After': '60' } },
    );
  }
  if (outcome === 'no_webhook') {
    throw new ProblemError('no_webhook', 'The job finished without a webhook_url, so no webhook was sent.');
  }
  return json({ delivery_id: outcome.deliveryId });
};
