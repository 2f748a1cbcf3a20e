import type { StoredFile } from '#domain/clip/clip.ts';
import { type ClipFile, clipFileKey } from '#domain/job/storage-keys.ts';
import { isWholeJpeg, isWholeMp4, type ReadBytes } from '#domain/lib/file-headers.ts';
import { accepted } from '#http/accepted.ts';
import { invalidRequest } from '#http/problem.ts';
import { InspectedRequest, MAX_INSPECTION_BYTES } from '#protocol/demo/demos.ts';
import { FOUND_DEMO, SHA256 } from '#protocol/examples/client.ts';
import { CompleteRequest, FailRequest, HeartbeatRequest, ReleaseRequest } from '#protocol/host/gateway.ts';
import { only, operation, type Words } from '#service/lib/operation.ts';
import { requireContent } from '#service/lib/store-body.ts';
import { policyOf, updateHost } from '#storage/host/hosts.ts';
import { isWholeTracks } from '#tracks/file.ts';
import { requireLease } from './admission.ts';

/**
 * Throws a problem unless storage has the file with the announced size and SHA-256, and it has the boxes, markers or
 * head of its kind. The service serves the file under its own name.
 */
async function requireStored(files: R2Bucket, file: ClipFile, stored: StoredFile): Promise<void> {
  const { key, bytes } = stored;
  await requireContent(files, stored);
  const read: ReadBytes = async (offset, length) => {
    const part = await files.get(key, { range: { offset, length: Math.min(length, bytes - offset) } });
    return new Uint8Array((await part?.arrayBuffer()) ?? new ArrayBuffer(0));
  };
  const { isWhole, name } = KINDS[file];
  if (!(await isWhole(read, bytes))) throw invalidRequest([{ path: file, message: `must be ${name}` }]);
}

const JPEG = { isWhole: isWholeJpeg, name: 'a JPEG file' };
const KINDS: Readonly<
  Record<ClipFile, { readonly isWhole: (read: ReadBytes, size: number) => Promise<boolean>; readonly name: string }>
> = {
  video: { isWhole: isWholeMp4, name: 'an MP4 file' },
  thumbnail: JPEG,
  storyboard: JPEG,
  tracks: { isWhole: isWholeTracks, name: 'tracks of a version that this service has' },
};

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
          columns: board.columns,
          rows: board.rows,
          intervalSeconds: board.interval_seconds,
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
      names_shown: () => invalidRequest([{ path: 'facts.names', message: 'must be "hidden": the order has names' }]),
    });
    return reply(204, null);
  },
});

type Announced = Pick<StoredFile, 'bytes' | 'sha256'>;

export const failJob = operation({
  route: 'POST /gateway/v1/jobs/:id/fail',
  scope: 'host',
  body: FailRequest,
  answers: { 204: null },
  handler: async ({ job, database, dispatcher, pushHost }, { caller, params, requestId, body, reply }) => {
    const { id: hostId } = caller;
    const {
      refused_build: refusedBuild,
      unfit_build: unfitBuild,
      crashed_loading: crashedLoading,
      own_match: ownMatch,
      ...failed
    } = await body();
    if (unfitBuild !== undefined) {
      await requireLease({ job }, params.id, { hostId, fence: failed.fence });
      // Before the job is queued again, so that this host cannot get it back.
      const host = await updateHost(database, hostId, { unfitBuild, unfitDetail: failed.detail });
      if (host && host.push !== null) {
        await dispatcher().revise(hostId, policyOf(host), false);
        await pushHost(hostId).revise(policyOf(host));
      }
    }
    accepted(await job(params.id).fail({ ...failed, refusedBuild, crashedLoading, ownMatch, hostId, requestId }));
    return reply(204, null);
  },
});

export const heartbeat = operation({
  route: 'POST /gateway/v1/jobs/:id/heartbeat',
  scope: 'host',
  body: HeartbeatRequest,
  answers: { 204: null },
  handler: async ({ job }, { caller: { id: hostId }, params, body, reply }) => {
    accepted(await job(params.id).heartbeat({ ...(await body()), hostId }));
    return reply(204, null);
  },
});

export const jobInspected = operation({
  route: 'POST /gateway/v1/jobs/:id/inspected',
  scope: 'host',
  body: InspectedRequest,
  bodyLimit: MAX_INSPECTION_BYTES,
  answers: { 204: null },
  handler: async (service, { caller: { id: hostId }, params, requestId, body, reply }) => {
    const { fence, demo, tracks: sent } = await body();
    const { clipId, isDone } = await requireLease(service, params.id, { hostId, fence });
    // A host that did not get the answer reports again.
    if (isDone) return reply(204, null);
    const tracks = sent && { key: clipFileKey(clipId, fence, 'tracks'), ...sent };
    if (tracks) await requireStored(service.files, 'tracks', tracks);
    accepted(await service.job(params.id).inspected({ hostId, fence, found: demo, tracks, requestId }));
    return reply(204, null);
  },
});

export const releaseJob = operation({
  route: 'POST /gateway/v1/jobs/:id/release',
  scope: 'host',
  body: ReleaseRequest,
  answers: { 204: null },
  handler: async ({ job }, { caller: { id: hostId }, params, requestId, body, reply }) => {
    const { fence } = await body();
    accepted(await job(params.id).release({ hostId, fence, requestId }));
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
  failJob: {
    summary: 'Fail a job',
    description: 'The code decides whether the job is tried again.',
    body: {
      examples: only({ fence: 1, code: 'demo_404', detail: 'GET https://demos.example.com/match-1842.dem.gz: 404' }),
    },
    answers: { 204: { description: 'The report is stored.' } },
    problems: ['stale_lease'],
  },
  heartbeat: {
    summary: 'Keep a lease alive',
    description: 'A lease without heartbeats expires, and its job goes to another host.',
    body: { examples: only({ fence: 1, phase: 'render', progress: 0.62 }) },
    answers: { 204: { description: 'The lease is extended.' } },
    problems: ['stale_lease'],
  },
  jobInspected: {
    summary: 'Report what is in a demo',
    description:
      'Ends a job whose `selection.mode` is `inspect`. Repeating it under the same fence changes nothing. At most 1 MiB.',
    body: { examples: only({ fence: 1, demo: FOUND_DEMO }) },
    answers: { 204: { description: 'The report is stored.' } },
    problems: ['stale_lease', 'upload_incomplete'],
  },
  releaseJob: {
    summary: 'Release a job',
    description: 'Queues the job again at once when its host stops. The job loses no attempt.',
    body: { examples: only({ fence: 1 }) },
    answers: { 204: { description: 'The job is queued again.' } },
    problems: ['stale_lease'],
  },
});
