import { forgetUpload } from '#render-gateway/receive-demo.ts';
import { deleteInspection, demoIdOf } from '#service/inspect-demo.ts';
import { operation, type Words } from '#service/operation.ts';
import { selectInspections } from '#storage/upkeep.ts';
import { mapFew } from '../each-of.ts';
import { requireUpload } from '../uploads.ts';
import { uploadSummary } from './upload-view.ts';

export const deleteUpload = operation({
  route: 'DELETE /api/uploads/:id',
  scope: 'account:submit',
  answers: { 204: null },
  handler: async (service, { caller, params, reply }) => {
    const upload = await requireUpload(service, caller, params.id);
    const ids = await selectInspections(service.database, caller.accountId, upload.id);
    // The index may not have a new one yet.
    const plain = await demoIdOf(caller, uploadSummary(upload, service.settings).demo_url);
    await mapFew([...new Set([plain, ...ids])], async (id) => {
      if ((await service.job(id).readDemo(caller.accountId)).ok) await deleteInspection(service, caller, id);
    });
    await forgetUpload(service, upload);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  deleteUpload: {
    tag: 'Demos',
    summary: 'Delete an upload',
    description:
      'Deletes the demo, its inspections and its replays at once, and frees the bytes of the demo. Jobs that have yet to fetch it fail with `demo_404`.',
    answers: { 204: { description: 'The upload is deleted.' } },
  },
});
