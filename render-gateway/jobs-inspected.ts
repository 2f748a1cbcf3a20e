import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { InspectedRequest, MAX_INSPECTION_BYTES } from '#protocol/demos.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease } from './lease.ts';

/** `POST /gateway/v1/jobs/:id/inspected`: what the host has read of a demo that it was to look into. */
export const jobInspected: HostHandler<'job'> = async (
  service,
  { caller: { id: hostId }, params, request, requestId },
) => {
  const { fence, demo } = await readShape(request, InspectedRequest, MAX_INSPECTION_BYTES);
  const { isDone } = await requireLease(service, hostId, params.id, fence);
  // Said again by a host that has not heard the answer.
  if (isDone) return noContent();
  const told = await service.job(params.id).inspected(hostId, fence, demo, requestId);
  accepted(told);
  return noContent();
};
