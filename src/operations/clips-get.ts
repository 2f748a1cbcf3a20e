import { counterpartId } from '../../domain/ids.ts';
import { type Bindings, renderJobOf } from '../../durable-objects/bindings.ts';
import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';

/** `GET /api/clips/:id` (spec 4.5), answered by the job that owns the clip. */
export async function getClip(env: Bindings, caller: Caller, clipId: string): Promise<Response> {
  const clip = await renderJobOf(env, counterpartId(clipId)).readClip(caller.accountId);
  if (!clip) throw notFound();
  return json(clip);
}
