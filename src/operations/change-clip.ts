import { accepted } from '#http/accepted.ts';
import { type Reply, reply } from '#http/reply.ts';
import type { Context } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import type { Caller } from '#storage/accounts.ts';
import { forgetRecord } from '#storage/record-cache.ts';
import { askOwner } from '../clip-owner.ts';

type Asking = Pick<Context<'id', Caller>, 'caller' | 'params' | 'requestId'>;

/** Asks the job that owns the clip to change it. Throws its refusal as a problem. */
export async function changeClip(
  service: Pick<Service, 'job' | 'clipIds' | 'files' | 'settings'>,
  { caller, params, requestId }: Asking,
  change: 'save' | 'unsave' | 'delete-clip',
): Promise<Reply<null>> {
  accepted(
    await askOwner(service, params.id, (owner) =>
      owner.changeClip(caller.accountId, { clipId: params.id, change, requestId }),
    ),
  );
  // The client's next read in this data centre shows the deletion.
  if (change === 'delete-clip') await forgetRecord(service, params.id);
  return reply(204, null);
}
