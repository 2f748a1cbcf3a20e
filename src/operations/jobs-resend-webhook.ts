import { MAX_OPEN_DELIVERIES } from '../../domain/delivery.ts';
import { accepted } from '../../http/accepted.ts';
import { json } from '../../http/json.ts';
import { ProblemError } from '../../http/problem.ts';
import type { ApiHandler } from './api-handler.ts';

/** `POST /api/jobs/:id/resend-webhook` (contract 4.4). */
export const resendWebhook: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  const { deliveryId } = accepted(await job(params.id).resendWebhook(caller.accountId), {
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
    no_webhook: () => new ProblemError('no_webhook', 'The job finished without a webhook_url, so no webhook was sent.'),
  });
  return json({ delivery_id: deliveryId });
};
