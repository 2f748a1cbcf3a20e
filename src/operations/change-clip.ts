import { accepted } from '../../http/accepted.ts';
import { noContent } from '../../http/json.ts';
import { askOwner } from '../clip-owner.ts';
import type { ApiHandler } from './api-handler.ts';

/** Has the job that owns the clip change it. */
export function changeClip(change: 'save' | 'unsave' | 'delete-clip'): ApiHandler<'job' | 'clipIds', 'id'> {
  return async (service, { caller, params, requestId }) => {
    accepted(
      await askOwner(service, params.id, (owner) => owner.changeClip(caller.accountId, params.id, change, requestId)),
    );
    return noContent();
  };
}
