import { accepted } from '#http/accepted.ts';
import { DeliveryList, deliveryList } from '#protocol/delivery-view.ts';
import { DELIVERY } from '#protocol/examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';

export const listDeliveries = operation({
  route: 'GET /api/jobs/:id/deliveries',
  scope: 'account:read',
  answers: { 200: DeliveryList },
  handler: async ({ job }, { caller, params, reply }) => {
    return reply(200, deliveryList(accepted(await job(params.id).deliveries(caller.accountId))));
  },
});

export const words = (): Words => ({
  listDeliveries: {
    tag: 'Jobs',
    summary: "List a job's webhooks",
    description:
      'The latest 100 webhooks of the job, oldest first, with each attempt: when it was made, and what your receiver answered.',
    answers: { 200: answer('The webhooks of the job.', { deliveries: [DELIVERY] }) },
  },
});
