import { noContent } from '#http/json.ts';
import { deleteInspection } from '#service/inspect-demo.ts';
import { type OperationWords, operation } from '#service/operation.ts';

export const deleteDemo = operation({
  route: 'DELETE /api/demos/:id',
  scope: 'account:submit',
  handler: async (service, { caller, params }) => {
    await deleteInspection(service, caller, params.id);
    return noContent();
  },
});

export const words = (): OperationWords => ({
  tag: 'Demos',
  summary: 'Delete what was found in a demo',
  description:
    'Ends its replay at once, and the inspection if it has not ended. The demo itself stays, and so do clips of it with their replays. Asked for again, the demo is read again.',
  answers: { 204: { description: 'The inspection and its replay are deleted.' } },
});
