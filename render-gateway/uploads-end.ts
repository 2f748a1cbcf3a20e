import { clipFileKey } from '#domain/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { FILE_UPLOAD_ID, PART_ETAG } from '#protocol/examples.ts';
import { UploadEnd, UploadEnded } from '#protocol/gateway.ts';
import { answer, type OperationWords, only, operation } from '#service/operation.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';

/**
 * Continues when the host disconnects: otherwise nobody would own the file. If the lease was lost meanwhile, its other
 * files are deleted already, and this one is deleted here.
 */
export const endUpload = operation({
  route: 'POST /gateway/v1/jobs/:id/uploads/complete',
  scope: 'host',
  body: UploadEnd,
  handler: async (service, context) => {
    const {
      caller: { id: hostId },
      params,
    } = context;
    const { job, files } = service;
    const { fence, file, upload_id, parts } = await context.body();
    const { clipId } = await requireLease(service, params.id, { hostId, fence });
    const key = clipFileKey(clipId, fence, file);
    const ended = (async () => {
      const upload = files.resumeMultipartUpload(key, upload_id);
      const object = await orIncomplete(upload.complete(parts.map(({ part, etag }) => ({ partNumber: part, etag }))));
      if (!(await job(params.id).ownsFile(key))) {
        await files.delete(key);
        throw problemOf('stale_lease');
      }
      return json({ bytes: object.size });
    })();
    context.waitUntil(ended.catch(() => {}));
    return ended;
  },
});

export const words = (): OperationWords => ({
  summary: 'Put the parts together',
  description: 'Joins all parts of a file.',
  body: {
    examples: only({ fence: 1, file: 'video', upload_id: FILE_UPLOAD_ID, parts: [{ part: 1, etag: PART_ETAG }] }),
  },
  answers: {
    200: answer('The file is stored.', UploadEnded, { bytes: 7_340_032 }),
  },
  problems: ['stale_lease', 'upload_incomplete'],
});
