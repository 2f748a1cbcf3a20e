import { clipFileKey } from '#domain/job/storage-keys.ts';
import { problemOfRefusal } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';
import { FILE_UPLOAD_ID, PART_ETAG } from '#protocol/examples/client.ts';
import {
  PART_BYTES,
  UploadBegin,
  UploadBegun,
  UploadEnd,
  UploadEnded,
  UploadedPart,
  UploadPartQuery,
  WHOLE_BYTES,
} from '#protocol/host/gateway.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { orIncomplete, sizedBody, storeBody } from '#service/lib/store-body.ts';
import { abortUpload, fileMetadata } from '#storage/clip/clip-files.ts';
import { requireLease } from './admission.ts';

/**
 * The upload id of every file that is stored whole. Such a file has no upload in storage, which bills three writes for
 * an upload in parts and one for a whole file.
 */
const WHOLE_FILE = 'whole';

/**
 * Requires that the job still owns a stored file. Otherwise deletes the file, because nothing else would, and throws a
 * 409 problem.
 */
async function requireOwner({ job, files }: Pick<Service, 'job' | 'files'>, jobId: string, key: string): Promise<void> {
  if (await job(jobId).ownsFile(key)) return;
  await files.delete(key);
  throw problemOfRefusal('stale_lease');
}

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
    if (isDone) throw problemOfRefusal('stale_lease');
    if (bytes <= WHOLE_BYTES) return reply(201, { upload_id: WHOLE_FILE, part_bytes: WHOLE_BYTES });
    const { key, uploadId } = await files.createMultipartUpload(clipFileKey(clipId, fence, file), fileMetadata(file));
    if (!(await job(params.id).uploadBegun({ hostId, fence, upload: { key, uploadId } })).ok) {
      await abortUpload(files, { key, uploadId });
      throw problemOfRefusal('stale_lease');
    }
    return reply(201, { upload_id: uploadId });
  },
});

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
    if (isDone) throw problemOfRefusal('stale_lease');
    const { files } = service;
    const key = clipFileKey(clipId, fence, file);
    const isWhole = upload_id === WHOLE_FILE;
    if (isWhole && part !== 1)
      throw new ProblemError('upload_incomplete', '`part` must be 1: this upload has one part.');
    const { body, bytes } = await sizedBody(request, isWhole ? WHOLE_BYTES : PART_BYTES);
    const ended = (async () => {
      const put = (stream: ReadableStream<Uint8Array>): Promise<{ readonly etag: string }> =>
        isWhole
          ? files.put(key, stream, fileMetadata(file))
          : files.resumeMultipartUpload(key, upload_id).uploadPart(part, stream);
      const { etag } = (await storeBody(body, bytes, put, { expected: sha256 })).stored;
      if (isWhole) await requireOwner(service, params.id, key);
      return reply(200, { part, etag });
    })();
    waitUntil(ended.catch(() => {}));
    return ended;
  },
});

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
  beginUpload: {
    summary: 'Begin to upload a file',
    description:
      'Files are uploaded in parts. Beginning again starts over. Beside the video and the thumbnail a host may send the files in `optional_files` of the grant. A file of at most 16 MiB whose `bytes` are given has one part.',
    body: { examples: only({ fence: 1, file: 'video', bytes: 104_857_600 }) },
    answers: { 201: answer('The upload has begun: send its parts.', { upload_id: FILE_UPLOAD_ID }) },
    problems: ['stale_lease'],
  },
  uploadPart: {
    summary: 'Upload a part',
    description:
      'The body is the part: as many bytes as the grant or the beginning of the upload says; the last part has the rest. A part of more than 1 MiB needs a `Content-Length`. Sending a part again replaces it.',
    body: { types: ['application/octet-stream'] },
    answers: { 200: answer('The part is stored.', { part: 1, etag: PART_ETAG }) },
    problems: ['length_required', 'stale_lease', 'upload_incomplete'],
  },
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
