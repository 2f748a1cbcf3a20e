import { accepted } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';
import { rateHeaders, rateLimited } from '#http/rate-limit.ts';
import { DeliveryRef } from '#protocol/delivery-view.ts';
import { DELIVERY_ID } from '#protocol/examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Contract 4.4. */
export const resendWebhook = operation({
  route: 'POST /api/jobs/:id/resend-webhook',
  scope: 'account:submit',
  answers: { 200: DeliveryRef },
  handler: async ({ job, settings }, { caller, params, reply }) => {
    const policy = { name: 'resends', limit: settings.limits.resendsAnHour, windowMs: HOUR_MS };
    const { deliveryId, remaining } = accepted(await job(params.id).resendWebhook(caller.accountId), {
      job_in_flight: () =>
        new ProblemError(
          'job_in_flight',
          'This run of the job has no outcome yet, and the webhook of the run before it was given up.',
        ),
      // Each resend counts for an hour, so one is certainly allowed after an hour.
      too_many_resends: () => rateLimited(policy, HOUR_MS, 0),
    });
    return reply(200, { delivery_id: deliveryId }, rateHeaders(policy, HOUR_MS, remaining));
  },
});

export const words = (): Words => ({
  resendWebhook: {
    tag: 'Jobs',
    summary: 'Send the outcome webhook again',
    description:
      'Sends the latest outcome to the same address with the same body. Nothing is rendered. It is a new delivery with its own id and ten attempts, so your receiver takes it for a new event. At most 20 webhooks of a job may be pending. A Discord post that was given up is sent again too.',
    answers: {
      200: answer(
        'The webhook is queued.',
        { delivery_id: DELIVERY_ID },
        {
          'RateLimit-Policy': {
            description: 'Number of requests that are accepted in a number of seconds.',
            example: '"resends";q=60;w=3600',
          },
          RateLimit: { description: 'Number of requests that are left.', example: '"resends";r=59;t=3600' },
        },
      ),
    },
    problems: ['job_in_flight', 'no_webhook', 'too_many_deliveries', 'rate_limited'],
  },
});
