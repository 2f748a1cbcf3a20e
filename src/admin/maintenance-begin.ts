import { invalidRequest } from '#http/problem.ts';
import { MaintenanceRequest, MaintenanceView } from '#protocol/controls.ts';
import { MAINTENANCE } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { putControl } from '#storage/controls.ts';
import { maintenanceView } from './controls-get.ts';

export const beginMaintenance = operation({
  route: 'PUT /admin/maintenance',
  scope: 'operator:operate',
  body: MaintenanceRequest,
  answers: { 200: MaintenanceView },
  handler: async ({ database, controls, now }, { caller, body, reply }) => {
    const { reason, until: end } = await body();
    const until = end ? Date.parse(end) : null;
    if (until !== null && until <= now()) throw invalidRequest([{ path: 'until', message: 'must be in the future' }]);
    const named = { id: crypto.randomUUID(), kind: 'maintenance', name: '' } as const;
    const begun = { ...named, reason, until, createdAt: now(), operator: caller.name };
    await putControl(database, begun);
    await controls.readAnew();
    return reply(200, maintenanceView(begun));
  },
});

export const words = (): Words => ({
  beginMaintenance: {
    summary: 'Begin maintenance',
    command: 'maintenance on',
    description:
      'Takes no new work: submits, resubmits, inspections and new uploads are answered with 503 and `Retry-After`. Everything else goes on: jobs that were taken, uploads that were begun, hosts, webhooks, viewers, and all that operators do. In force everywhere within ten seconds. Called again, it changes reason and end.',
    body: { examples: only({ reason: MAINTENANCE.reason, until: MAINTENANCE.until }) },
    answers: { 200: answer('Maintenance is on: no new work is accepted.', MAINTENANCE) },
  },
});
