import { clipFileKey } from '#domain/storage-keys.ts';
import { json } from '#http/json.ts';
import { PART_ETAG } from '#protocol/examples.ts';
import { UploadedPart, UploadPartQuery } from '#protocol/gateway.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { checkedStream, sizedBody } from './checked-stream.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';

/** Streams the part into storage, because an isolate has 128 MB for all its requests. */
export const uploadPart = operation({
  route: 'PUT /gateway/v1/jobs/:id/uploads/part',
  scope: 'host',
  diskShare: 1 / 8,
  query: UploadPartQuery,
  handler: async (service, { caller: { id: hostId }, params, request, query }) => {
    const { fence, file, upload_id, part, sha256 } = query();
    const { clipId } = await requireLease(service, params.id, { hostId, fence });
    const { body, bytes } = await sizedBody(request);
    const { stream, refusal, release } = checkedStream(body, bytes, sha256);
    const upload = service.files.resumeMultipartUpload(clipFileKey(clipId, fence, file), upload_id);
    const stored = upload.uploadPart(part, stream).catch(async (error) => {
      await release();
      throw refusal() ?? error;
    });
    const { partNumber, etag } = await orIncomplete(stored);
    return json({ part: partNumber, etag });
  },
});

export const words = (): OperationWords => ({
  summary: 'Upload a part',
  description:
    'The body is the part: as many bytes as the grant says; the last part has the rest. Sending a part again replaces it.',
  body: { types: ['application/octet-stream'] },
  answers: {
    200: answer('The part is stored.', UploadedPart, { part: 1, etag: PART_ETAG }),
  },
  problems: ['stale_lease', 'upload_incomplete'],
});
