import type { StoredFile } from '#domain/clip.ts';
import { type ClipFile, clipFileKey } from '#domain/storage-keys.ts';
import { accepted } from '#http/accepted.ts';
import { noContent } from '#http/json.ts';
import { invalidRequest } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import { CompleteRequest } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';
import { requireLease } from './lease.ts';
import { requireStored } from './stored-file.ts';

/**
 * `POST /gateway/v1/jobs/:id/complete`: the clip is rendered and uploaded. The host is not taken at its word: its
 * files must be there, with the bytes that it announces, and be what they are served as.
 */
export const completeJob: HostHandler<'job' | 'files'> = async (
  service,
  { caller: { id: hostId }, params, request, requestId },
) => {
  const { fence, title, facts, duration_seconds, ...announced } = await readShape(request, CompleteRequest);
  const { storyboard: board } = announced;
  const { clipId, isDone } = await requireLease(service, hostId, params.id, fence);
  // Said again by a host that has not heard the answer.
  if (isDone) return noContent();
  const stored = (file: ClipFile, { bytes, sha256 }: Announced): StoredFile => {
    return { key: clipFileKey(clipId, fence, file), bytes, sha256 };
  };
  const result = {
    title,
    facts,
    durationSeconds: duration_seconds,
    video: stored('video', announced.video),
    thumbnail: stored('thumbnail', announced.thumbnail),
    ...(board && {
      storyboard: {
        ...stored('storyboard', board),
        ...{ columns: board.columns, rows: board.rows, intervalSeconds: board.interval_seconds },
      },
    }),
  };
  await Promise.all([
    requireStored(service.files, 'video', result.video),
    requireStored(service.files, 'thumbnail', result.thumbnail),
    result.storyboard && requireStored(service.files, 'storyboard', result.storyboard),
  ]);
  accepted(await service.job(params.id).complete(hostId, fence, result, requestId), {
    too_long: () => invalidRequest([{ path: 'duration_seconds', message: 'is more than was asked for' }]),
  });
  return noContent();
};

type Announced = Pick<StoredFile, 'bytes' | 'sha256'>;
