import { DAY_MS } from '#domain/metering.ts';
import { notFound } from '#http/problem.ts';
import { HostDetail } from '#protocol/admin.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import { HOST_DETAIL } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findHostById, selectHostFailures } from '#storage/hosts.ts';
import { hostView, reportOf } from './host-views.ts';

const ENDED_SHOWN = 20;
const JOBS_OF_FAULT = 10;

export const getHost = operation({
  route: 'GET /admin/hosts/:id',
  scope: 'operator:read',
  answers: { 200: HostDetail },
  handler: async (service, { params, reply }) => {
    const { database, dispatcher, settings } = service;
    const row = await findHostById(database, params.id);
    if (row === null) throw notFound();
    const [view, [activity], failures] = await Promise.all([
      hostView(service, row),
      dispatcher().hostActivity([row.id], 0, ENDED_SHOWN),
      selectHostFailures(database, row.id, service.now() - DAY_MS),
    ]);
    const reported = reportOf(row);
    return reply(200, {
      ...view,
      slots: view.push?.slots ?? settings.hostSlots,
      driver: reported?.driver ?? null,
      free_bytes: activity?.freeBytes ?? null,
      ended: (activity?.ended ?? []).map(({ jobId, code, grantedAt, at }) => ({
        job_id: jobId,
        code,
        started_at: isoTimeOrNull(grantedAt ?? null),
        ended_at: isoTime(at),
      })),
      faults: faultsOf(failures),
    });
  },
});

export const words = (): Words => ({
  getHost: {
    summary: 'Read a render host',
    description:
      'Returns the host with its state, its latest attempts, and its failures of the last day with their jobs.',
    answers: { 200: answer('The host with its latest work.', HOST_DETAIL) },
  },
});

/** `failures`: by code, the latest first. */
function faultsOf(failures: Awaited<ReturnType<typeof selectHostFailures>>) {
  const byCode = Map.groupBy(failures, ({ code }) => code);
  return [...byCode]
    .map(([code, all]) => ({
      code,
      count: all.length,
      last_at: isoTime(all[0]?.failedAt ?? 0),
      job_ids: [...new Set(all.map(({ jobId }) => jobId))].slice(0, JOBS_OF_FAULT),
    }))
    .sort((a, b) => b.count - a.count);
}
