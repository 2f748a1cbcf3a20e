import { clipFileKey } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { FILE_UPLOAD_ID } from '#protocol/examples.ts';
import { UploadBegin, UploadBegun, WHOLE_BYTES } from '#protocol/gateway.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { abortUpload, fileMetadata } from '#storage/clip-files.ts';
import { requireLease } from './lease.ts';
import { WHOLE_FILE } from './whole-file.ts';

/**
 * Begins an upload. The key is made from the job and the fence, never by the host. Each step checks the lease with the
 * job.
 */
export const beginUpload = operation({
  route: 'POST /gateway/v1/jobs/:id/uploads',
  scope: 'host',
  diskShare: 1 / 8,
  body: UploadBegin,
  answers: { 201: UploadBegun },
  handler: async (service, { caller: { id: hostId }, params, body, reply }) => {
    const { job, files } = service;
    const { fence, file, bytes = Number.POSITIVE_INFINITY } = await body();
    const { clipId, isDone } = await requireLease(service, params.id, { hostId, fence });
    if (isDone) throw problemOf('stale_lease');
    if (bytes <= WHOLE_BYTES) return reply(201, { upload_id: WHOLE_FILE, part_bytes: WHOLE_BYTES });
    const { key, uploadId } = await files.createMultipartUpload(clipFileKey(clipId, fence, file), fileMetadata(file));
    if (!(await job(params.id).uploadBegun({ hostId, fence, upload: { key, uploadId } })).ok) {
      await abortUpload(files, { key, uploadId });
      throw problemOf('stale_lease');
    }
    return reply(201, { upload_id: uploadId });
  },
});

export const words = (): Words => ({
  beginUpload: {
    summary: 'Begin to upload a file',
    description:
      'Files are uploaded in parts. Beginning again starts over. Beside the video and the thumbnail a host may send the files in `optional_files` of the grant. A file of at most 16 MiB whose `bytes` are given has one part.',
    body: { examples: only({ fence: 1, file: 'video', bytes: 104_857_600 }) },
    answers: { 201: answer('The upload has begun: send its parts.', { upload_id: FILE_UPLOAD_ID }) },
    problems: ['stale_lease'],
  },
});
