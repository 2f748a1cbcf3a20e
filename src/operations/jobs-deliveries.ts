import { type Bindings, renderJobOf } from '../../durable-objects/bindings.ts';
import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { deliveryList } from '../../protocol/delivery-view.ts';
import type { Caller } from '../../storage/accounts.ts';

/** `GET /api/jobs/:id/deliveries`: every webhook of the job, oldest first, with each attempt made. */
export async function listDeliveries(env: Bindings, caller: Caller, jobId: string): Promise<Response> {
  const deliveries = await renderJobOf(env, jobId).deliveries(caller.accountId);
  if (!deliveries) throw notFound();
  return json(deliveryList(deliveries));
}
