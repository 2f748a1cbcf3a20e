import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { HeartbeatRequest } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';

/** `POST /gateway/v1/jobs/:id/heartbeat`: the host is alive and at work. */
export const heartbeat: HostHandler<'job'> = async ({ job }, { caller: { id: hostId }, params, request }) => {
  const { fence, phase, progress, stage } = await readShape(request, HeartbeatRequest);
  accepted(await job(params.id).heartbeat(hostId, fence, phase, progress, stage));
  return noContent();
};
