import { clipFileKey } from '#domain/storage-keys.ts';
import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { UploadPartQuery } from '#protocol/gateway.ts';
import { checkedStream, sizedBody } from './checked-stream.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';

/**
 * `PUT /gateway/v1/jobs/:id/uploads/part`: stores one part after comparing its SHA-256. Sending a part again replaces
 * it. The part goes into storage while it arrives: an isolate has 128 MB for all its requests.
 */
export const uploadPart: HostHandler<'job' | 'files'> = async (
  service,
  { caller: { id: hostId }, params, request, url },
) => {
  const { fence, file, upload_id, part, sha256 } = parseQuery(url.searchParams, UploadPartQuery);
  const { clipId } = await requireLease(service, hostId, params.id, fence);
  const { body, bytes } = await sizedBody(request);
  const { stream, refusal, release } = checkedStream(body, bytes, sha256);
  const upload = service.files.resumeMultipartUpload(clipFileKey(clipId, fence, file), upload_id);
  const stored = upload.uploadPart(part, stream).catch(async (error) => {
    await release();
    throw refusal() ?? error;
  });
  const { partNumber, etag } = await orIncomplete(stored);
  return json({ part: partNumber, etag });
};
