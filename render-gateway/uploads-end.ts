import { clipFileKey } from '#domain/storage-keys.ts';
import { ProblemError } from '#http/problem.ts';
import { FILE_UPLOAD_ID, PART_ETAG } from '#protocol/examples.ts';
import { UploadEnd, UploadEnded } from '#protocol/gateway.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { requireLease } from './lease.ts';
import { orIncomplete } from './or-incomplete.ts';
import { requireOwner, WHOLE_FILE } from './whole-file.ts';

/**
 * Joins the parts of an upload. Continues when the host disconnects: otherwise no job would own the file. If the lease
 * was lost meanwhile, the other files of the attempt are deleted already, and this one is deleted here.
 */
export const endUpload = operation({
  route: 'POST /gateway/v1/jobs/:id/uploads/complete',
  scope: 'host',
  body: UploadEnd,
  answers: { 200: UploadEnded },
  handler: async (service, context) => {
    const {
      caller: { id: hostId },
      params,
    } = context;
    const { files } = service;
    const { fence, file, upload_id, parts } = await context.body();
    const { clipId } = await requireLease(service, params.id, { hostId, fence });
    const key = clipFileKey(clipId, fence, file);
    if (upload_id === WHOLE_FILE) {
      const object = await orIncomplete(files.head(key));
      // The ETag differs if another part was stored since.
      if (object === null || object.etag !== parts[0]?.etag) {
        throw new ProblemError('upload_incomplete', '`parts` must have the `etag` of the stored part.');
      }
      return context.reply(200, { bytes: object.size });
    }
    const ended = (async () => {
      const upload = files.resumeMultipartUpload(key, upload_id);
      const object = await orIncomplete(upload.complete(parts.map(({ part, etag }) => ({ partNumber: part, etag }))));
      await requireOwner(service, params.id, key);
      return context.reply(200, { bytes: object.size });
    })();
    context.waitUntil(ended.catch(() => {}));
    return ended;
  },
});

export const words = (): Words => ({
  endUpload: {
    summary: 'Put the parts together',
    description: 'Joins all parts of a file.',
    body: {
      examples: only({ fence: 1, file: 'video', upload_id: FILE_UPLOAD_ID, parts: [{ part: 1, etag: PART_ETAG }] }),
    },
    answers: { 200: answer('The file is stored.', { bytes: 7_340_032 }) },
    problems: ['stale_lease', 'upload_incomplete'],
  },
});
