import { type Bindings, renderJobOf } from '../../durable-objects/bindings.ts';
import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';

/** `GET /api/jobs/:id` (spec 4.2), answered by the job itself. */
export async function getJob(env: Bindings, caller: Caller, jobId: string): Promise<Response> {
  const job = await renderJobOf(env, jobId).read(caller.accountId);
  if (!job) throw notFound();
  return json(job);
}
