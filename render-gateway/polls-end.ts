import { POLL_ID } from '#protocol/examples/client.ts';
import { EndPollRequest } from '#protocol/host/gateway.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';

/** A host cannot end the poll of another. */
export const endPoll = operation({
  route: 'POST /gateway/v1/claim/end',
  scope: 'host',
  body: EndPollRequest,
  answers: { 204: null },
  handler: async ({ dispatcher }, { caller: { id: hostId }, body, reply }) => {
    const { poll_id } = await body();
    await dispatcher().endPoll(`${hostId}:${poll_id}`);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  endPoll: {
    summary: 'Stop waiting for a job',
    description:
      'Ends the held claim of a host that stops. The claim is answered at once, with 204, or with a job that was granted just before, which the host releases. Repeatable; an unknown `poll_id` is accepted.',
    body: { examples: only({ poll_id: POLL_ID }) },
    answers: { 204: { description: 'The claim has ended.' } },
  },
});
