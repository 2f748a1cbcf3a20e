import { accepted } from '#http/accepted.ts';
import { FailRequest } from '#protocol/host/gateway.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';
import { policyOf, updateHost } from '#storage/host/hosts.ts';
import { requireLease } from './lease.ts';

export const failJob = operation({
  route: 'POST /gateway/v1/jobs/:id/fail',
  scope: 'host',
  body: FailRequest,
  answers: { 204: null },
  handler: async ({ job, database, dispatcher, pushHost }, { caller, params, requestId, body, reply }) => {
    const { id: hostId } = caller;
    const { refused_build: refusedBuild, unfit_build: unfitBuild, ...failed } = await body();
    if (unfitBuild !== undefined) {
      await requireLease({ job }, params.id, { hostId, fence: failed.fence });
      // Before the job is queued again, so that this host cannot get it back.
      const host = await updateHost(database, hostId, { unfitBuild, unfitDetail: failed.detail });
      if (host && host.push !== null) {
        await dispatcher().revise(hostId, policyOf(host), false);
        await pushHost(hostId).revise(policyOf(host));
      }
    }
    accepted(await job(params.id).fail({ ...failed, refusedBuild, hostId, requestId }));
    return reply(204, null);
  },
});

export const words = (): Words => ({
  failJob: {
    summary: 'Fail a job',
    description: 'The code decides whether the job is tried again.',
    body: {
      examples: only({ fence: 1, code: 'demo_404', detail: 'GET https://demos.example.com/match-1842.dem.gz: 404' }),
    },
    answers: { 204: { description: 'The report is stored.' } },
    problems: ['stale_lease'],
  },
});
