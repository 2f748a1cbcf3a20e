import { type ClipFile, clipFileKey } from '../domain/storage-keys.ts';
import { type Bindings, renderJobOf } from '../durable-objects/bindings.ts';
import type { Settings } from '../durable-objects/settings.ts';
import { sha256Hex } from '../http/credentials.ts';
import { fileCacheControl } from '../http/file-cache-control.ts';
import { json } from '../http/json.ts';
import { ProblemError } from '../http/problem.ts';
import { parseQuery, readBytes, readShape } from '../http/read-body.ts';
import { PART_BYTES, UploadBegin, UploadEnd, UploadPartQuery } from '../protocol/gateway.ts';
import { abortUpload } from '../storage/clip-files.ts';
import { requireLease, staleLease } from './lease.ts';

const CONTENT_TYPES: Record<ClipFile, string> = { video: 'video/mp4', thumbnail: 'image/jpeg' };

/**
 * A file goes up in parts, so that a broken connection costs one part and not the file. The key is made here from the
 * job and the fence; a host names neither. Each step asks the job's object whether the lease is still held.
 */
export async function beginUpload(
  env: Bindings,
  settings: Pick<Settings, 'purge'>,
  hostId: string,
  jobId: string,
  request: Request,
): Promise<Response> {
  const { fence, file } = await readShape(request, UploadBegin);
  await requireLease(env, hostId, jobId, fence);
  const { key, uploadId } = await env.CLIPS.createMultipartUpload(clipFileKey(jobId, fence, file), {
    // For a media host, which serves the bucket as it is.
    httpMetadata: { contentType: CONTENT_TYPES[file], cacheControl: fileCacheControl(settings) },
  });
  if (!(await renderJobOf(env, jobId).uploadBegun(hostId, fence, { key, uploadId }))) {
    await abortUpload(env.CLIPS, { key, uploadId });
    throw staleLease();
  }
  return json({ upload_id: uploadId }, 201);
}

/** Stores one part after comparing its SHA-256. Sending a part again replaces it. */
export async function uploadPart(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence, file, upload_id, part, sha256 } = parseQuery(new URL(request.url).searchParams, UploadPartQuery);
  await requireLease(env, hostId, jobId, fence);
  const bytes = await readBytes(request, PART_BYTES);
  if ((await sha256Hex(bytes)) !== sha256) {
    throw new ProblemError('upload_incomplete', `Part ${part} arrived with another SHA-256 than announced.`);
  }
  const upload = env.CLIPS.resumeMultipartUpload(clipFileKey(jobId, fence, file), upload_id);
  const { partNumber, etag } = await orIncomplete(upload.uploadPart(part, bytes));
  return json({ part: partNumber, etag });
}

/**
 * Puts the parts together. A lease that was lost meanwhile takes its files along: they were listed before this one was
 * there, so it is removed here.
 */
export async function endUpload(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence, file, upload_id, parts } = await readShape(request, UploadEnd);
  await requireLease(env, hostId, jobId, fence);
  const key = clipFileKey(jobId, fence, file);
  const upload = env.CLIPS.resumeMultipartUpload(key, upload_id);
  const object = await orIncomplete(upload.complete(parts.map(({ part, etag }) => ({ partNumber: part, etag }))));
  if (!(await renderJobOf(env, jobId).ownsFile(key))) {
    await env.CLIPS.delete(key);
    throw staleLease();
  }
  return json({ bytes: object.size });
}

/** Storage refuses an upload it does not know, or parts it never got; the host begins that upload anew. */
async function orIncomplete<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new ProblemError('upload_incomplete', `Storage refused: ${error instanceof Error ? error.message : error}`);
  }
}
