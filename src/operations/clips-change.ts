import { counterpartId } from '../../domain/ids.ts';
import { type Bindings, renderJobOf } from '../../durable-objects/bindings.ts';
import { noContent } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';

/** `POST /api/clips/:id/save`, `…/unsave` and `DELETE /api/clips/:id` (spec 4.6, 4.7). */
export function changeClip(change: 'save' | 'unsave' | 'delete-clip') {
  return async (env: Bindings, caller: Caller, clipId: string): Promise<Response> => {
    if (!(await renderJobOf(env, counterpartId(clipId)).changeClip(caller.accountId, change))) throw notFound();
    return noContent();
  };
}
