import { accepted } from '#http/accepted.ts';
import { HeartbeatRequest } from '#protocol/host/gateway.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';

export const heartbeat = operation({
  route: 'POST /gateway/v1/jobs/:id/heartbeat',
  scope: 'host',
  body: HeartbeatRequest,
  answers: { 204: null },
  handler: async ({ job }, { caller: { id: hostId }, params, body, reply }) => {
    accepted(await job(params.id).heartbeat({ ...(await body()), hostId }));
    return reply(204, null);
  },
});

export const words = (): Words => ({
  heartbeat: {
    summary: 'Keep a lease alive',
    description: 'A lease without heartbeats expires, and its job goes to another host.',
    body: { examples: only({ fence: 1, phase: 'render', progress: 0.62 }) },
    answers: { 204: { description: 'The lease is extended.' } },
    problems: ['stale_lease'],
  },
});
