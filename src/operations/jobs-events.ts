import { type Bindings, renderJobOf } from '../../durable-objects/bindings.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';

/** `GET /api/jobs/:id/events`: status and progress as server-sent events, until the job has finished. */
export async function watchJob(env: Bindings, caller: Caller, jobId: string): Promise<Response> {
  const stream = await renderJobOf(env, jobId).watch(caller.accountId);
  if (!stream) throw notFound();
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
}
