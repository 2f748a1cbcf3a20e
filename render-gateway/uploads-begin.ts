import { CLIP_FILE_TYPES, clipFileKey } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { STORED_FILE_CACHING } from '#http/cache-control.ts';
import { json } from '#http/json.ts';
import { FILE_UPLOAD_ID } from '#protocol/examples.ts';
import { UploadBegin, UploadBegun } from '#protocol/gateway.ts';
import { answer, type OperationWords, only, operation } from '#service/operation.ts';
import { abortUpload } from '#storage/clip-files.ts';
import { requireLease } from './lease.ts';

/**
 * Begins an upload. The key is made from the job and the fence, never by the host. Each step checks the lease with the
 * job.
 */
export const beginUpload = operation({
  route: 'POST /gateway/v1/jobs/:id/uploads',
  scope: 'host',
  diskShare: 1 / 8,
  body: UploadBegin,
  handler: async (service, { caller: { id: hostId }, params, body }) => {
    const { job, files } = service;
    const { fence, file } = await body();
    const { clipId } = await requireLease(service, params.id, { hostId, fence });
    const { key, uploadId } = await files.createMultipartUpload(clipFileKey(clipId, fence, file), {
      // Headers for a domain that serves the bucket directly.
      httpMetadata: { contentType: CLIP_FILE_TYPES[file], cacheControl: STORED_FILE_CACHING },
    });
    if (!(await job(params.id).uploadBegun({ hostId, fence, upload: { key, uploadId } })).ok) {
      await abortUpload(files, { key, uploadId });
      throw problemOf('stale_lease');
    }
    return json({ upload_id: uploadId }, 201);
  },
});

export const words = (): OperationWords => ({
  summary: 'Begin to upload a file',
  description:
    'Files are uploaded in parts. Beginning again starts over. Beside the video and the thumbnail a host may send the files in `optional_files` of the grant.',
  body: { examples: only({ fence: 1, file: 'video' }) },
  answers: {
    201: answer('Parts can come.', UploadBegun, { upload_id: FILE_UPLOAD_ID }),
  },
  problems: ['stale_lease'],
});
