import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { deleteControl } from '#storage/controls.ts';

export const removeBlock = operation({
  route: 'DELETE /admin/blocks/:id',
  scope: 'operator:operate',
  handler: async ({ database, controls }, { params }) => {
    if (!(await deleteControl(database, 'block', params.id))) throw notFound();
    await controls.readAnew();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  summary: 'Remove a block',
  command: 'blocks remove <block>',
  description: 'Accepts its demos again, everywhere within ten seconds. Failed jobs stay failed.',
  answers: { 204: { description: 'The block is removed.' } },
});
