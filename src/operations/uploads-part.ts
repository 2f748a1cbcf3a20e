import { demoFileKey } from '#domain/storage-keys.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { PartQuery } from '#protocol/uploads.ts';
import { checkedStream, sizedBody } from '#render-gateway/checked-stream.ts';
import { orIncomplete } from '#render-gateway/or-incomplete.ts';
import { operation, type Words } from '#service/operation.ts';
import { isInParts, notePart } from '#storage/uploads.ts';
import { requireUpload } from '../uploads.ts';
import { partBytes } from './upload-view.ts';

/** Stores one part while it arrives, and notes it. Continues when the client disconnects. */
export const sendUploadPart = operation({
  route: 'PUT /api/uploads/:id/part',
  scope: 'account:ingest',
  diskShare: 1,
  query: PartQuery,
  answers: { 204: null },
  handler: async (service, { caller, params, request, query, waitUntil, reply }) => {
    const { part } = query();
    const upload = await requireUpload(service, caller, params.id);
    if (upload.completedAt !== null || !isInParts(upload))
      throw new ProblemError('upload_incomplete', 'This upload takes no more parts.');
    const { body, bytes } = await sizedBody(request);
    const expected = partBytes(upload, part);
    if (bytes !== expected) {
      throw invalidRequest([{ path: '', message: `must have the ${expected} bytes of part ${part}; it has ${bytes}` }]);
    }
    const { stream, refusal, release } = checkedStream(body, bytes);
    const multipart = service.demos.resumeMultipartUpload(demoFileKey(caller.accountId, upload.id), upload.multipartId);
    const stored = multipart.uploadPart(part, stream).catch(async (error) => {
      await release();
      throw refusal() ?? error;
    });
    const noted = orIncomplete(stored).then(({ etag }) => notePart(service.database, upload.id, part, etag));
    waitUntil(noted.catch(() => {}));
    await noted;
    return reply(204, null);
  },
});

export const words = (): Words => ({
  sendUploadPart: {
    tag: 'Demos',
    summary: 'Send a part',
    description:
      'The body is the bytes of this part, as many as the upload says. Parts may be sent in any order and at the same time. Sending one again replaces it.',
    body: { types: ['application/octet-stream'] },
    answers: { 204: { description: 'The part is stored.' } },
    problems: ['upload_incomplete'],
  },
});
