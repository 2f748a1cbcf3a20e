import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { deliveryList } from '#protocol/delivery-view.ts';
import type { ApiHandler } from './api-handler.ts';

/** `GET /api/jobs/:id/deliveries`: every webhook of the job, oldest first, with each attempt made. */
export const listDeliveries: ApiHandler<'job', 'id'> = async ({ job }, { caller, params }) => {
  return json(deliveryList(accepted(await job(params.id).deliveries(caller.accountId))));
};
