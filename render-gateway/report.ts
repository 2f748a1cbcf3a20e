import type { StoredFile } from '#domain/clip/clip.ts';
import { type ClipFile, clipFileKey } from '#domain/job/storage-keys.ts';
import { accepted } from '#http/accepted.ts';
import { invalidRequest } from '#http/problem.ts';
import { SHA256 } from '#protocol/examples/client.ts';
import { CompleteRequest } from '#protocol/host/gateway.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';
import { requireLease } from './lease.ts';
import { requireStored } from './stored-file.ts';

/**
 * Checks the stored files before the job completes: their bytes, and that they have the type that they are served as.
 */
export const completeJob = operation({
  route: 'POST /gateway/v1/jobs/:id/complete',
  scope: 'host',
  body: CompleteRequest,
  answers: { 204: null },
  handler: async (service, { caller, params, requestId, body, reply }) => {
    const { id: hostId } = caller;
    const { fence, title, facts, duration_seconds, ...announced } = await body();
    const { storyboard: board } = announced;
    const { clipId, isDone } = await requireLease(service, params.id, { hostId, fence });
    // A host that did not get the answer reports again.
    if (isDone) return reply(204, null);
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
    accepted(await service.job(params.id).complete({ hostId, fence, result, requestId }), {
      too_long: () => invalidRequest([{ path: 'duration_seconds', message: 'is more than was asked for' }]),
    });
    return reply(204, null);
  },
});

export const words = (): Words => ({
  completeJob: {
    summary: 'Complete a job',
    description: 'The files must be stored in the announced size. The job becomes `done` and the lease ends.',
    body: {
      examples: only({
        fence: 1,
        title: '3 kills by Ferris on Nuke',
        facts: { kills: 3, players: ['Ferris'], map: 'de_nuke', round: null },
        duration_seconds: 14.5,
        video: { bytes: 7_340_032, sha256: SHA256 },
        thumbnail: { bytes: 184_320, sha256: SHA256 },
        storyboard: { bytes: 92_160, sha256: SHA256, columns: 6, rows: 5, interval_seconds: 0.5 },
      }),
    },
    answers: { 204: { description: 'The report is stored.' } },
    problems: ['stale_lease', 'upload_incomplete'],
  },
});

type Announced = Pick<StoredFile, 'bytes' | 'sha256'>;
