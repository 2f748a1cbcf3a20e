import type { StoredFile } from '../domain/clip.ts';
import { type ClipFile, clipFileKey } from '../domain/storage-keys.ts';
import { accepted } from '../http/accepted.ts';
import { noContent } from '../http/json.ts';
import { invalidRequest } from '../http/problem.ts';
import { readShape } from '../http/read-body.ts';
import { CompleteRequest } from '../protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease, staleLease } from './lease.ts';
import { requireStored } from './stored-file.ts';

/**
 * `POST /gateway/v1/jobs/:id/complete`: the clip is rendered and uploaded. The host is not taken at its word: both
 * files must be there, with the bytes that it announces, and be what they are served as.
 */
export const completeJob: HostHandler<'job' | 'files'> = async (
  service,
  { caller: { id: hostId }, params, request, requestId },
) => {
  const { fence, title, facts, duration_seconds, ...announced } = await readShape(request, CompleteRequest);
  const { clipId, isDone } = await requireLease(service, hostId, params.id, fence);
  // Said again by a host that has not heard the answer.
  if (isDone) return noContent();
  const stored = (file: ClipFile): StoredFile => ({ key: clipFileKey(clipId, fence, file), ...announced[file] });
  const result = {
    title,
    facts,
    durationSeconds: duration_seconds,
    video: stored('video'),
    thumbnail: stored('thumbnail'),
  };
  await Promise.all([
    requireStored(service.files, 'video', result.video),
    requireStored(service.files, 'thumbnail', result.thumbnail),
  ]);
  accepted(await service.job(params.id).complete(hostId, fence, result, requestId), {
    stale_lease: staleLease,
    too_long: () => invalidRequest([{ path: 'duration_seconds', message: 'is more than was asked for' }]),
  });
  return noContent();
};
