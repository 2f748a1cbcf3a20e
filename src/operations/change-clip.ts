import { counterpartId } from '../../domain/ids.ts';
import { accepted } from '../../http/accepted.ts';
import { noContent } from '../../http/json.ts';
import type { ApiHandler } from './api-handler.ts';

/** Has the job that owns the clip change it. */
export function changeClip(change: 'save' | 'unsave' | 'delete-clip'): ApiHandler<'job', 'id'> {
  return async ({ job }, { caller, params, requestId }) => {
    accepted(await job(counterpartId(params.id)).changeClip(caller.accountId, change, requestId));
    return noContent();
  };
}
