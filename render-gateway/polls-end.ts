import { noContent } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { EndPollRequest } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';

/** `POST /gateway/v1/claim/end`: answers the host's held claim now. A host cannot end the poll of another. */
export const endPoll: HostHandler<'dispatchers', never> = async (
  { dispatchers },
  { caller: { id: hostId }, request },
) => {
  const { poll_id } = await readShape(request, EndPollRequest);
  await dispatchers.at(dispatchers.home(hostId)).leave(`${hostId}:${poll_id}`);
  return noContent();
};
