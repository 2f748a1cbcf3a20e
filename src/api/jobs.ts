import { renamePlayers } from '#domain/clip/names.ts';
import { cardsOf } from '#domain/clip/plan/clip-length.ts';
import { planSelection } from '#domain/clip/plan/plan-selection.ts';
import { cutTracksKey } from '#domain/job/storage-keys.ts';
import { accepted } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';
import { limitReached, rateHeaders, rateLimited } from '#http/rate-limit.ts';
import { sha256Hex } from '#platform/digest.ts';
import { plannableDemo } from '#protocol/demo/plan.ts';
import {
  DELIVERY,
  DELIVERY_ID,
  DIAGNOSED_JOB,
  DONE_JOB,
  EXAMPLE_URL,
  JOB_ID,
  LISTED_JOB,
  RETRYING_JOB,
} from '#protocol/examples/client.ts';
import { DeliveryList, DeliveryRef, deliveryList } from '#protocol/job/delivery-view.ts';
import { JobDetail, JobQuery, JobReplay } from '#protocol/job/job-detail.ts';
import { JobList, JobListQuery, type JobSummary } from '#protocol/job/job-list.ts';
import { JobRef } from '#protocol/job/job-view.ts';
import { pageOf } from '#protocol/lib/lists.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { demoIdOf } from '#service/demo/inspect-demo.ts';
import { counted, firstLimitReached, takeRate, tooManyReruns } from '#service/job/job-limits.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { fileMetadata } from '#storage/clip/clip-files.ts';
import { selectJobs } from '#storage/lib/lists.ts';
import type { JobRow } from '#storage/schema/schema.ts';
import { TracksError } from '#tracks/bytes.ts';
import { cutTracks, openTracks } from '#tracks/file.ts';

/** Returns a job as lists and streams of changes have it, from the index. */
export function jobSummary(row: JobRow): JobSummary {
  return {
    id: row.id,
    status: row.status,
    // Lists have no inspections.
    mode: row.mode === 'timeline' ? 'timeline' : 'round',
    priority: row.priority,
    fps: row.fps,
    resolution: row.resolution,
    clip_id: row.status === 'done' ? row.clipId : null,
    error_code: row.errorCode,
    created_at: isoTime(row.createdAt),
    finished_at: isoTimeOrNull(row.finishedAt),
  };
}

/** Reads the index. */
export const listJobs = operation({
  route: 'GET /api/jobs',
  scope: 'account:read',
  query: JobListQuery,
  answers: { 200: JobList },
  handler: async ({ replica }, { caller, query, reply }) => {
    const asked = query();
    const { rows, next_cursor } = pageOf(await selectJobs(replica(), caller.accountId, asked), asked.limit);
    return reply(200, { jobs: rows.map(jobSummary), next_cursor });
  },
});

/** Reads the job from its object (contract 4.2). */
export const getJob = operation({
  route: 'GET /api/jobs/:id',
  scope: 'account:read',
  query: JobQuery,
  answers: { 200: JobDetail },
  handler: async (service, { caller, params, query, reply }) => {
    return reply(200, accepted(await service.job(params.id).read(caller.accountId, query().include)));
  },
});

/** Publishes the replay of a job. A repeated call returns the same. */
export const publishReplay = operation({
  route: 'POST /api/jobs/:id/replay',
  scope: 'account:manage',
  repeatable: 'always',
  diskShare: 1,
  answers: { 200: JobReplay },
  handler: async (service, { caller, params, reply }) => {
    await cutReplay(service, caller, params.id);
    const { replay }: JobDetail = accepted(await service.job(params.id).read(caller.accountId, ['replay']));
    if (!replay) throw new ProblemError('demo_not_inspected', NO_REPLAY);
    return reply(200, { job_id: params.id, replay });
  },
});

const NO_REPLAY =
  'Inspect the demo with `replay` first. A job that has failed or was taken down, or whose clip is of an earlier request, has no replay.';

export const cancelJob = operation({
  route: 'POST /api/jobs/:id/cancel',
  scope: 'account:submit',
  answers: { 200: JobRef },
  handler: async ({ job }, { caller, params, requestId, reply }) => {
    accepted(await job(params.id).cancel(caller.accountId, requestId));
    return reply(200, { job_id: params.id });
  },
});

/** Contract 4.3. */
export const resubmitJob = operation({
  route: 'POST /api/jobs/:id/resubmit',
  scope: 'account:submit',
  diskShare: 1,
  answers: { 200: JobRef },
  handler: async (service, { caller, params, requestId, reply }) => {
    const { job, settings, now, controls } = service;
    await takeRate(service, caller, 'submits');
    const { frames = settings.limits.frames } = caller.limits;
    const full = firstLimitReached(caller, settings, now());
    const isFull = full?.of === 'runs';
    const { blocked } = await controls.read();
    const result = await counted(
      service,
      caller,
      null,
      async () => job(params.id).resubmit(caller.accountId, { requestId, isFull, most: frames, blocked }),
      (answer) => (answer.ok ? answer.value : null),
    );
    accepted(result, {
      limit_reached: () => full?.problem ?? limitReached('This account has no room for another job.'),
      too_many_reruns: () => tooManyReruns(settings),
    });
    return reply(200, { job_id: params.id });
  },
});

const HOUR_MS = 60 * 60 * 1000;

/** Contract 4.4. */
export const resendWebhook = operation({
  route: 'POST /api/jobs/:id/resend-webhook',
  scope: 'account:submit',
  answers: { 200: DeliveryRef },
  handler: async ({ job, settings }, { caller, params, reply }) => {
    const policy = { name: 'resends', limit: settings.limits.resends, windowMs: HOUR_MS };
    const { deliveryId, remaining } = accepted(await job(params.id).resendWebhook(caller.accountId), {
      job_in_flight: () =>
        new ProblemError(
          'job_in_flight',
          'This run of the job has no outcome yet, and the webhook of the run before it was given up.',
        ),
      // Each resend counts during an hour, so one is certainly allowed after an hour.
      too_many_resends: () => rateLimited(policy, HOUR_MS, 0),
    });
    return reply(200, { delivery_id: deliveryId }, rateHeaders(policy, HOUR_MS, remaining));
  },
});

export const listDeliveries = operation({
  route: 'GET /api/jobs/:id/deliveries',
  scope: 'account:read',
  answers: { 200: DeliveryList },
  handler: async ({ job }, { caller, params, reply }) => {
    return reply(200, deliveryList(accepted(await job(params.id).deliveries(caller.accountId))));
  },
});

/**
 * Gives a job its replay: cuts the ticks of its clip out of the tracks of its demo, if the account has inspected the
 * demo with `replay`. No host is needed. Does nothing if the job has a replay, or cannot have one.
 */
async function cutReplay(
  { job, files, log }: Pick<Service, 'job' | 'files' | 'log'>,
  caller: Caller,
  jobId: string,
): Promise<void> {
  const { accountId } = caller;
  const own = await job(jobId).readReplay(accountId);
  if (!own.ok || !own.value.cut) return;
  const { clipId, run, demoUrl, cut } = own.value;
  const demo = await job(await demoIdOf(caller, demoUrl)).readReplay(accountId);
  if (!demo.ok || !demo.value.tracks || !demo.value.match) return;
  const { tracks: whole, match } = demo.value;
  const planned = planSelection(plannableDemo(match), cut.selection);
  if (!planned.ok) return;
  const leadSeconds = cardsOf(cut).before.reduce((sum, { seconds }) => sum + seconds, 0);
  try {
    const file = await openTracks(async (offset, length) => {
      const part = await files.get(whole.key, { range: { offset, length: Math.min(length, whole.bytes - offset) } });
      return new Uint8Array((await part?.arrayBuffer()) ?? new ArrayBuffer(0));
    });
    const shots = planned.shots.map(({ kills, ...shot }) => ({ ...shot, kills: kills.map(({ tick }) => tick) }));
    const players = cut.names
      ? renamePlayers(file.players, cut.names, (_, player) => match.players[player]?.steam64_id)
      : file.players;
    const bytes = await cutTracks({ ...file, players }, shots, leadSeconds);
    const key = cutTracksKey(clipId, crypto.randomUUID());
    await files.put(key, bytes, fileMetadata('tracks'));
    const tracks = { key, bytes: bytes.length, sha256: await sha256Hex(bytes) };
    if (!(await job(jobId).addTracks(accountId, { run, tracks })).ok) await files.delete(key);
  } catch (error) {
    if (!(error instanceof TracksError)) throw error;
    log('the replay of a job was not cut', { job: jobId, error: error.message });
  }
}

export const words = (): Words => ({
  listJobs: {
    summary: 'List jobs',
    description:
      'Returns jobs, newest first, without their payloads, from an index that is some milliseconds behind. Either key lists every job of the account.',
    answers: { 200: answer('A page of jobs.', { jobs: [LISTED_JOB], next_cursor: `1777919400000_${JOB_ID}` }) },
  },
  getJob: {
    summary: 'Read a job',
    description:
      'The present state of the job, and its request. `extras` is JSON text here; the webhook has it as you sent it. `include` adds why the job failed, each attempt with its host and what the host found, its progress, its place in the queue, and the address of its replay, once `POST /api/jobs/:id/replay` has published it.',
    answers: {
      200: {
        description: 'The job with the included fields.',
        examples: {
          done: { summary: 'Rendered', value: DONE_JOB },
          retrying: { summary: 'Waiting for its next attempt', value: RETRYING_JOB },
          diagnosed: { summary: 'Failed, with `include`', value: DIAGNOSED_JOB },
        },
      },
    },
  },
  publishReplay: {
    summary: 'Publish the replay of a job',
    description:
      'Publishes a page that plays the ticks of the clip, also before the video exists. Anyone with the address can open it. Inspect the demo with `replay` first; no render host is needed. A repeated call returns the same address. The page ends with the clip.',
    answers: {
      200: answer('The replay is public.', { job_id: JOB_ID, replay: `${EXAMPLE_URL}/replays/${DONE_JOB.clip_id}` }),
    },
    problems: ['demo_not_inspected'],
  },
  cancelJob: {
    summary: 'Cancel a job',
    description:
      'Ends an unfinished job: it becomes `error` with the code `canceled`, and its `job.failed` webhook is sent. A render host that works on it learns of it with its next heartbeat and stops. Canceling it again changes nothing. A canceled job can be run again like any failed job.',
    answers: { 200: answer('The job is canceled.', { job_id: JOB_ID }) },
    problems: ['job_finished'],
  },
  resubmitJob: {
    summary: 'Run a job again',
    description:
      'Runs the job in place: same id, same request, same webhook address. The new clip replaces the old one under its id. A pending webhook is canceled, and the new outcome sends its own. For a `retrying` job this only ends the wait: earlier attempts still count. It counts as a submit and as an unfinished job. A job runs again at most 60 times an hour.',
    answers: { 200: answer('The job is `pending` again.', { job_id: JOB_ID }) },
    problems: ['job_in_flight', 'request_forgotten', 'limit_reached'],
  },
  resendWebhook: {
    summary: 'Send the outcome webhook again',
    description:
      'Sends the latest outcome to the same address with the same body. Nothing is rendered. It is a new delivery with its own id and ten attempts, so your receiver takes it for a new event. At most 20 webhooks of a job may be pending. A Discord post that was given up is sent again too. Resends count towards the hourly webhook budget of the account; beyond it they wait, and `wait_reason` says so.',
    answers: {
      200: answer(
        'The webhook is queued.',
        { delivery_id: DELIVERY_ID },
        {
          'RateLimit-Policy': {
            description: 'Number of requests that are accepted in a number of seconds.',
            example: '"resends";q=60;w=3600',
          },
          RateLimit: { description: 'Number of requests that are left.', example: '"resends";r=59;t=3600' },
        },
      ),
    },
    problems: ['job_in_flight', 'no_webhook', 'too_many_deliveries', 'rate_limited'],
  },
  listDeliveries: {
    summary: "List a job's webhooks",
    description:
      'The latest 100 webhooks of the job, oldest first, with each attempt: when it was made, and what your receiver answered.',
    answers: { 200: answer('The webhooks of the job.', { deliveries: [DELIVERY] }) },
  },
});
