import { noContent } from '#http/json.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { forgetUploads, requireUpload } from '../uploads.ts';

/** The demo is gone at once: jobs that have yet to fetch it fail with `demo_404`. */
export const deleteUpload = operation({
  route: 'DELETE /api/uploads/:id',
  scope: 'account:submit',
  handler: async (service, { caller, params }) => {
    const upload = await requireUpload(service, caller, params.id);
    await forgetUploads(service, service.databases.of(caller.database), [upload]);
    return noContent();
  },
});

export const words = (): OperationWords => ({
  tag: 'Demos',
  summary: 'Delete an upload',
  description:
    'The demo is gone at once, and its bytes count no more. Jobs that have yet to fetch it fail with `demo_404`.',
  answers: { 204: { description: 'The upload is deleted.' } },
});
