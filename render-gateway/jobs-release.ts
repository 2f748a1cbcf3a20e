import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { ReleaseRequest } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';

/** `POST /gateway/v1/jobs/:id/release`: a host that stops hands its job back unharmed. */
export const releaseJob: HostHandler<'job'> = async (
  { job },
  { caller: { id: hostId }, params, request, requestId },
) => {
  const { fence } = await readShape(request, ReleaseRequest);
  accepted(await job(params.id).release(hostId, fence, requestId));
  return noContent();
};
