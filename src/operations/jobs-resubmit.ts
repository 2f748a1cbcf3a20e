import { type Bindings, renderJobOf } from '../../durable-objects/bindings.ts';
import { json } from '../../http/json.ts';
import { notFound, ProblemError } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';

/** `POST /api/jobs/:id/resubmit` (spec 4.3). */
export async function resubmitJob(env: Bindings, caller: Caller, jobId: string): Promise<Response> {
  const outcome = await renderJobOf(env, jobId).resubmit(caller.accountId);
  if (outcome === null) throw notFound();
  if (outcome === 'in_flight') {
    throw new ProblemError('job_in_flight', 'The job is pending, prefetching or rendering; wait for its outcome.');
  }
  return json({ job_id: jobId });
}
