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
  description: 'Its demos are accepted again, everywhere within ten seconds. Jobs that failed stay so.',
  answers: { 204: { description: 'It is removed.' } },
});
