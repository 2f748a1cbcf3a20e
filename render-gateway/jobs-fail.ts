import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { FailRequest } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';

/** `POST /gateway/v1/jobs/:id/fail`: the attempt failed. */
export const failJob: HostHandler<'job'> = async ({ job }, { caller: { id: hostId }, params, request, requestId }) => {
  const { fence, code, detail, refused_build, facts, stage, log } = await readShape(request, FailRequest);
  const told = { facts, stage, log };
  const failed = await job(params.id).fail(hostId, fence, code, detail, requestId, refused_build, told);
  accepted(failed);
  return noContent();
};
