import type { StoredFile } from '../domain/clip.ts';
import { clipFileKey } from '../domain/storage-keys.ts';
import { accepted } from '../http/accepted.ts';
import { noContent } from '../http/json.ts';
import { ProblemError } from '../http/problem.ts';
import { readShape } from '../http/read-body.ts';
import { CompleteRequest } from '../protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';
import { staleLease } from './lease.ts';

/**
 * `POST /gateway/v1/jobs/:id/complete`: the clip is rendered and uploaded. Both files must be there in the size that
 * the host announces.
 */
export const completeJob: HostHandler<'job' | 'files'> = async (
  { job, files },
  { caller: hostId, params, request, requestId },
) => {
  const { fence, title, facts, duration_seconds, video, thumbnail } = await readShape(request, CompleteRequest);
  const result = {
    title,
    facts,
    durationSeconds: duration_seconds,
    video: { key: clipFileKey(params.id, fence, 'video'), ...video },
    thumbnail: { key: clipFileKey(params.id, fence, 'thumbnail'), ...thumbnail },
  };
  await Promise.all([requireStored(files, result.video), requireStored(files, result.thumbnail)]);
  accepted(await job(params.id).complete(hostId, fence, result, requestId), { stale_lease: staleLease });
  return noContent();
};

async function requireStored(files: R2Bucket, file: StoredFile): Promise<void> {
  const object = await files.head(file.key);
  if (object?.size !== file.bytes) {
    const found = object ? `has ${object.size} bytes` : 'is not there';
    throw new ProblemError('upload_incomplete', `${file.key} ${found}, announced were ${file.bytes} bytes.`);
  }
}
