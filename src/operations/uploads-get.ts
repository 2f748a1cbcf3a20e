import { OPEN_UPLOAD } from '#protocol/examples.ts';
import { UPLOAD_ROUTE, Upload } from '#protocol/uploads.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { requireUpload } from '../uploads.ts';
import { uploadView } from './upload-view.ts';

/** The address is also the upload's `demo_url`. */
export const getUpload = operation({
  route: UPLOAD_ROUTE,
  scope: 'account:read',
  answers: { 200: Upload },
  handler: async (service, { caller, params, reply }) => {
    return reply(200, await uploadView(service, await requireUpload(service, caller, params.id)));
  },
});

export const words = (): Words => ({
  getUpload: {
    tag: 'Demos',
    summary: 'Read an upload',
    description: 'Returns the state of the upload and its missing parts. Only render hosts can download the file.',
    answers: { 200: answer('The upload with its missing parts.', OPEN_UPLOAD) },
  },
});
