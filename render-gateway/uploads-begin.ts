import { CLIP_FILE_TYPES, clipFileKey } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { fileCacheControl } from '#http/file-cache-control.ts';
import { json } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { UploadBegin } from '#protocol/gateway.ts';
import { abortUpload } from '#storage/clip-files.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease } from './lease.ts';

/**
 * `POST /gateway/v1/jobs/:id/uploads`. A file goes up in parts, so that a broken connection costs one part and not the
 * file. The key is made here from the job and the fence; a host names neither. Each step asks the job's object whether
 * the lease is still held.
 */
export const beginUpload: HostHandler<'job' | 'files' | 'settings'> = async (
  service,
  { caller: { id: hostId }, params, request },
) => {
  const { job, files, settings } = service;
  const { fence, file } = await readShape(request, UploadBegin);
  const { clipId } = await requireLease(service, hostId, params.id, fence);
  const { key, uploadId } = await files.createMultipartUpload(clipFileKey(clipId, fence, file), {
    // For a media host, which serves the bucket as it is.
    httpMetadata: { contentType: CLIP_FILE_TYPES[file], cacheControl: fileCacheControl(settings) },
  });
  if (!(await job(params.id).uploadBegun(hostId, fence, { key, uploadId })).ok) {
    await abortUpload(files, { key, uploadId });
    throw problemOf('stale_lease');
  }
  return json({ upload_id: uploadId }, 201);
};
