import { deleteInspection } from '#service/inspect-demo.ts';
import { operation, type Words } from '#service/operation.ts';

export const deleteDemo = operation({
  route: 'DELETE /api/demos/:id',
  scope: 'account:submit',
  answers: { 204: null },
  handler: async (service, { caller, params, reply }) => {
    await deleteInspection(service, caller, params.id);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  deleteDemo: {
    tag: 'Demos',
    summary: 'Delete an inspection',
    description:
      'Deletes what was found in a demo, and its replay, at once. Ends an inspection that is under way. The demo itself stays, and so do its clips with their replays. A later request inspects the demo again.',
    answers: { 204: { description: 'The inspection and its replay are deleted.' } },
  },
});
