import type { z } from 'zod';
import { invalidRequest, notFound } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { blockEntryOf } from '#protocol/demo/demos.ts';
import { BLOCK, MAINTENANCE } from '#protocol/examples/operator.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import {
  BlockRequest,
  BlockView,
  ControlsView,
  MaintenanceRequest,
  MaintenanceView,
} from '#protocol/operate/controls.ts';
import { maintenanceView } from '#service/lib/controls.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { type ControlRow, deleteControl, MOST_BLOCKS, putControl } from '#storage/operate/upkeep.ts';

export const getControls = operation({
  route: 'GET /admin/controls',
  scope: 'operator:read',
  answers: { 200: ControlsView },
  handler: async ({ controls }, { reply }) => {
    const { maintenance, blocks } = await controls.readAnew();
    return reply(200, { maintenance: maintenance && maintenanceView(maintenance), blocks: blocks.map(blockView) });
  },
});

function blockView({ id, name, reason, createdAt, operator }: ControlRow): z.input<typeof BlockView> {
  return { block_id: id, address: name, reason, created_at: isoTime(createdAt), operator };
}

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

export const endMaintenance = operation({
  route: 'DELETE /admin/maintenance',
  scope: 'operator:operate',
  answers: { 204: null },
  handler: async ({ database, controls }, { reply }) => {
    await deleteControl(database, 'maintenance');
    await controls.readAnew();
    return reply(204, null);
  },
});

export const addBlock = operation({
  route: 'POST /admin/blocks',
  scope: 'operator:operate',
  body: BlockRequest,
  answers: { 201: BlockView },
  handler: async ({ database, controls, now }, { caller, body, reply }) => {
    const { address, reason } = await body();
    const name = blockEntryOf(address);
    if (name === null) throw invalidRequest([{ path: 'address', message: 'must be a domain or an http(s) URL' }]);
    const named = { id: crypto.randomUUID(), kind: 'block', name, until: null } as const;
    const block = await putControl(database, { ...named, reason, createdAt: now(), operator: caller.name });
    if (block === null) throw limitReached(`There are ${MOST_BLOCKS} blocks already: remove some.`);
    await controls.readAnew();
    return reply(201, blockView(block));
  },
});

export const removeBlock = operation({
  route: 'DELETE /admin/blocks/:id',
  scope: 'operator:operate',
  answers: { 204: null },
  handler: async ({ database, controls }, { params, reply }) => {
    if (!(await deleteControl(database, 'block', params.id))) throw notFound();
    await controls.readAnew();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  getControls: {
    summary: 'Read maintenance and blocked demos',
    command: 'blocks list',
    description: 'Returns controls that take effect while the service runs, without a deploy.',
    answers: { 200: answer('The controls in force now.', { maintenance: MAINTENANCE, blocks: [BLOCK] }) },
  },
  beginMaintenance: {
    summary: 'Begin maintenance',
    command: 'maintenance on',
    description:
      'Takes no new work: submits, resubmits, inspections and new uploads are answered with 503 and `Retry-After`. Everything else goes on: jobs that were taken, uploads that were begun, hosts, webhooks, viewers, and all that operators do. In force everywhere within ten seconds. Called again, it changes reason and end.',
    body: { examples: only({ reason: MAINTENANCE.reason, until: MAINTENANCE.until }) },
    answers: { 200: answer('Maintenance is on: no new work is accepted.', MAINTENANCE) },
  },
  endMaintenance: {
    summary: 'End maintenance',
    command: 'maintenance off',
    description: 'Takes work again, everywhere within ten seconds.',
    answers: { 204: { description: 'Maintenance is off: new work is accepted.' } },
  },
  addBlock: {
    summary: 'Block a demo domain or URL',
    command: 'blocks add <address>',
    description:
      'New jobs and inspections of it fail with `demo_url_rejected`, as on a domain that is not accepted; so do waiting jobs when a host would get them, and downloads that are redirected to it. A download that has begun goes on. In force everywhere within ten seconds.',
    body: { examples: only({ address: 'files.example.org', reason: BLOCK.reason }) },
    answers: { 201: answer('The domain or URL is blocked.', BLOCK) },
    problems: ['limit_reached'],
  },
  removeBlock: {
    summary: 'Remove a block',
    command: 'blocks remove <block>',
    description: 'Accepts its demos again, everywhere within ten seconds. Failed jobs stay failed.',
    answers: { 204: { description: 'The block is removed.' } },
  },
});
