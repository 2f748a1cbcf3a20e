import { clipFileKey } from '../domain/storage-keys.ts';
import { sha256Hex } from '../http/digest.ts';
import { json } from '../http/json.ts';
import { ProblemError } from '../http/problem.ts';
import { parseQuery, readBytes } from '../http/read-body.ts';
import { PART_BYTES, UploadPartQuery } from '../protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';

/**
 * `PUT /gateway/v1/jobs/:id/uploads/part`: stores one part after comparing its SHA-256. Sending a part again replaces
 * it.
 */
export const uploadPart: HostHandler<'job' | 'files'> = async (service, { caller: hostId, params, request, url }) => {
  const { fence, file, upload_id, part, sha256 } = parseQuery(url.searchParams, UploadPartQuery);
  const { clipId } = await requireLease(service, hostId, params.id, fence);
  const bytes = await readBytes(request, PART_BYTES);
  if ((await sha256Hex(bytes)) !== sha256) {
    throw new ProblemError('upload_incomplete', `Part ${part} arrived with another SHA-256 than announced.`);
  }
  const upload = service.files.resumeMultipartUpload(clipFileKey(clipId, fence, file), upload_id);
  const { partNumber, etag } = await orIncomplete(upload.uploadPart(part, bytes));
  return json({ part: partNumber, etag });
};
