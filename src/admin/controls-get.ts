import type { z } from 'zod';
import { type BlockView, ControlsView, type MaintenanceView } from '#protocol/controls.ts';
import { isoTime, isoTimeOrNull } from '#protocol/job-view.ts';
import { BLOCK, MAINTENANCE } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import type { ControlRow } from '#storage/controls.ts';

export const getControls = operation({
  route: 'GET /admin/controls',
  scope: 'operator:read',
  answers: { 200: ControlsView },
  handler: async ({ controls }, { reply }) => {
    const { maintenance, blocks } = await controls.readAnew();
    return reply(200, { maintenance: maintenance && maintenanceView(maintenance), blocks: blocks.map(blockView) });
  },
});

export const words = (): Words => ({
  getControls: {
    summary: 'Read maintenance and blocked demos',
    command: 'blocks list',
    description: 'Returns controls that take effect while the service runs, without a deploy.',
    answers: { 200: answer('The controls in force now.', { maintenance: MAINTENANCE, blocks: [BLOCK] }) },
  },
});

export function maintenanceView({ reason, createdAt, until, operator }: ControlRow): MaintenanceView {
  return { reason, since: isoTime(createdAt), until: isoTimeOrNull(until), operator };
}

export function blockView({ id, name, reason, createdAt, operator }: ControlRow): z.input<typeof BlockView> {
  return { block_id: id, address: name, reason, created_at: isoTime(createdAt), operator };
}
