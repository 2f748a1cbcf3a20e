import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';
import { deleteControl } from '#storage/controls.ts';

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
  removeBlock: {
    summary: 'Remove a block',
    command: 'blocks remove <block>',
    description: 'Accepts its demos again, everywhere within ten seconds. Failed jobs stay failed.',
    answers: { 204: { description: 'The block is removed.' } },
  },
});
