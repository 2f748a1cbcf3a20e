import { clipFileKey } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';
import { PART_ETAG } from '#protocol/examples.ts';
import { PART_BYTES, UploadedPart, UploadPartQuery, WHOLE_BYTES } from '#protocol/gateway.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { fileMetadata } from '#storage/clip-files.ts';
import { checkedStream, sizedBody } from './checked-stream.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';
import { requireOwner, WHOLE_FILE } from './whole-file.ts';

/** Streams the part into storage, because an isolate has 128 MB for all its requests. */
export const uploadPart = operation({
  route: 'PUT /gateway/v1/jobs/:id/uploads/part',
  scope: 'host',
  diskShare: 1 / 8,
  query: UploadPartQuery,
  answers: { 200: UploadedPart },
  handler: async (service, { caller: { id: hostId }, params, request, query, waitUntil, reply }) => {
    const { fence, file, upload_id, part, sha256 } = query();
    const { clipId, isDone } = await requireLease(service, params.id, { hostId, fence });
    // A late repetition must not replace a file of the clip.
    if (isDone) throw problemOf('stale_lease');
    const { files } = service;
    const key = clipFileKey(clipId, fence, file);
    const isWhole = upload_id === WHOLE_FILE;
    if (isWhole && part !== 1)
      throw new ProblemError('upload_incomplete', '`part` must be 1: this upload has one part.');
    const { body, bytes } = await sizedBody(request, isWhole ? WHOLE_BYTES : PART_BYTES);
    const { stream, refusal, release } = checkedStream(body, bytes, sha256);
    const sent = isWhole
      ? files.put(key, stream, fileMetadata(file))
      : files.resumeMultipartUpload(key, upload_id).uploadPart(part, stream);
    const stored = sent.catch(async (error) => {
      await release();
      throw refusal() ?? error;
    });
    const ended = (async () => {
      const { etag } = await orIncomplete<{ readonly etag: string }>(stored);
      if (isWhole) await requireOwner(service, params.id, key);
      return reply(200, { part, etag });
    })();
    waitUntil(ended.catch(() => {}));
    return ended;
  },
});

export const words = (): Words => ({
  uploadPart: {
    summary: 'Upload a part',
    description:
      'The body is the part: as many bytes as the grant or the beginning of the upload says; the last part has the rest. Sending a part again replaces it.',
    body: { types: ['application/octet-stream'] },
    answers: { 200: answer('The part is stored.', { part: 1, etag: PART_ETAG }) },
    problems: ['stale_lease', 'upload_incomplete'],
  },
});
