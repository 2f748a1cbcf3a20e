import type { z } from 'zod';
import { json } from '#http/json.ts';
import { type BlockView, ControlsView, type MaintenanceView } from '#protocol/controls.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import { BLOCK, MAINTENANCE } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import type { ControlRow } from '#storage/controls.ts';

export const getControls = operation({
  route: 'GET /admin/controls',
  scope: 'operator:read',
  handler: async ({ controls }) => {
    const { maintenance, blocks } = await controls.readAnew();
    return json({ maintenance: maintenanceView(maintenance), blocks: blocks.map(blockView) });
  },
});

export const words = (): OperationWords => ({
  summary: 'Read maintenance and blocked demos',
  command: 'blocks list',
  description: 'Returns controls that take effect while the service runs, without a deploy.',
  answers: {
    200: answer('The controls in force now.', ControlsView, { maintenance: MAINTENANCE, blocks: [BLOCK] }),
  },
});

export function maintenanceView(maintenance: ControlRow | null): MaintenanceView | null {
  if (maintenance === null) return null;
  const { reason, createdAt, until, operator } = maintenance;
  return { reason, since: isoTime(createdAt), until: isoTimeOrNull(until), operator };
}

export function blockView({ id, name, reason, createdAt, operator }: ControlRow): z.input<typeof BlockView> {
  return { block_id: id, address: name, reason, created_at: isoTime(createdAt), operator };
}
