import { readableLog } from '#domain/job/attempt.ts';
import { fieldsOf, type KeptAttempt } from '#domain/job/job.ts';
import { notFound } from '#http/problem.ts';
import { removalView } from '#protocol/clip/clip-view.ts';
import { STORY } from '#protocol/examples/operator.ts';
import { deliveryList } from '#protocol/job/delivery-view.ts';
import { jobView } from '#protocol/job/job-view.ts';
import { isoTime, isoTimeOrNull } from '#protocol/lib/shapes.ts';
import { JobStoryQuery, JobStoryView } from '#protocol/operate/operate.ts';
import type { JobStory } from '#rpc/render-job.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { findCustomer } from '#storage/account/accounts.ts';
import { readNames } from '#storage/operate/find.ts';

/** Reads the job from its object. */
export const getJobStory = operation({
  route: 'GET /admin/jobs/:id',
  scope: 'operator:read',
  query: JobStoryQuery,
  answers: { 200: JobStoryView },
  handler: async ({ database, job }, { params, query, reply }) => {
    const { host = null, fence = null } = query();
    const story = (await job(params.id).story()) as JobStory | null;
    if (story === null) throw notFound();
    const isAsked = (one: KeptAttempt) =>
      (host === null || one.hostId === host) && (fence === null || one.fence === fence);
    // A test account has no page.
    const accountId = await findCustomer(database, story.job.accountId);
    const asked = { ...story, job: { ...story.job, accountId }, attempts: story.attempts.filter(isAsked) };
    const { lease } = fieldsOf(story.job);
    const hosts = [lease?.hostId, story.job.renderedBy, ...asked.attempts.map(({ hostId }) => hostId)];
    return reply(200, storyView(asked, await readNames(database, [accountId, ...hosts])));
  },
});

export const words = (): Words => ({
  getJobStory: {
    summary: 'Read the whole story of a job',
    command: 'jobs show <job>',
    description: 'Returns a job with its attempts, their hosts, its webhooks and its files.',
    answers: { 200: answer('The story of the job.', STORY) },
  },
});

export function storyView(
  { job, request, progress, queue, attempts, deliveries }: JobStory,
  nameOf: Awaited<ReturnType<typeof readNames>>,
): JobStoryView {
  const { lease, clip, retryAt, errorDetail } = fieldsOf(job);
  return {
    job: jobView(job, request),
    account_id: job.accountId,
    account_name: nameOf(job.accountId),
    clip_id: job.clipId,
    run: job.run,
    attempt: job.attempt,
    host_seconds: Math.round(job.hostMs / 1000),
    queued_at: isoTime(job.queuedAt),
    retry_at: isoTimeOrNull(retryAt),
    error_detail: errorDetail,
    progress,
    queue,
    lease: lease && {
      host_id: lease.hostId,
      host_name: nameOf(lease.hostId),
      granted_at: isoTime(lease.grantedAt),
      deadline: isoTime(lease.deadline),
      is_confirmed: lease.isConfirmed,
    },
    attempts: attempts.map(({ run, attempt, fence, hostId, gameBuild, grantedAt, endedAt, code, detail, log }) => ({
      run,
      attempt,
      fence,
      host_id: hostId,
      host_name: nameOf(hostId),
      game_build: gameBuild ?? null,
      granted_at: isoTime(grantedAt),
      ended_at: isoTime(endedAt),
      code,
      detail,
      log: log && readableLog(log, grantedAt),
    })),
    deliveries: deliveryList(deliveries).deliveries,
    clip: clip && {
      state: clip.state,
      is_saved: clip.isSaved,
      title: clip.title,
      duration_seconds: clip.durationSeconds,
      rendered_at: isoTime(clip.renderedAt),
      rendered_by: job.renderedBy,
      host_name: nameOf(job.renderedBy),
      video: fileOf(clip.video),
      thumbnail: fileOf(clip.thumbnail),
      removal: removalView(clip),
    },
  };
}

function fileOf({ key, bytes, sha256 }: { key: string; bytes: number; sha256: string }) {
  return { key, bytes, sha256 };
}
