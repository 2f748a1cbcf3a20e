import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { forgetRecord } from '#storage/record-cache.ts';
import { askOwner } from '../clip-owner.ts';
import type { ApiHandler } from './api-handler.ts';

/** Has the job that owns the clip change it. */
export function changeClip(
  change: 'save' | 'unsave' | 'delete-clip',
): ApiHandler<'job' | 'clipIds' | 'files' | 'settings', 'id'> {
  return async (service, { caller, params, requestId }) => {
    accepted(
      await askOwner(service, params.id, (owner) => owner.changeClip(caller.accountId, params.id, change, requestId)),
    );
    // Read anew in this data centre: who deletes a clip, and then looks, sees it deleted.
    if (change === 'delete-clip') await forgetRecord(service, params.id);
    return noContent();
  };
}
