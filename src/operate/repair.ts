import { accepted } from '#http/accepted.ts';
import { gone, invalidRequest } from '#http/problem.ts';
import { isTransient } from '#http/to-problem.ts';
import { ACCOUNT_ID, DONE_JOB, JOB_ID } from '#protocol/examples/client.ts';
import {
  CheckClips,
  CheckedClips,
  Recovered,
  RecoverRequest,
  Reindexed,
  ReindexRequest,
  TakeDown,
} from '#protocol/operate/recovery.ts';
import { askOwner } from '#service/clip/public-clip.ts';
import { askAll, mapFew } from '#service/lib/each-of.ts';
import { answer, only, operation, type Words } from '#service/lib/operation.ts';
import { noteTarget } from '#service/operate/audit.ts';
import { findLastRun } from '#storage/account/usage.ts';
import { isTakenDown, selectClipFiles } from '#storage/clip/clip-index.ts';
import { forgetRecord } from '#storage/clip/record-cache.ts';
import { findJobRow } from '#storage/operate/all-jobs.ts';

/** How long the platform keeps earlier states. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** If it is cut off after the first call, repeating it with the same bookmark or time continues. */
export const recoverJob = operation({
  route: 'POST /admin/jobs/:id/recover',
  scope: 'operator:admin',
  body: RecoverRequest,
  answers: { 200: Recovered },
  handler: async (service, { params, body, reply }) => {
    const { at, bookmark } = await body();
    const ago = at === undefined ? 0 : service.now() - Date.parse(at);
    if (ago < 0 || ago > KEPT_MS) throw invalidRequest([{ path: 'at', message: 'must lie within the last 30 days' }]);
    const row = await findJobRow(service.database, params.id);
    if (row && (await isTakenDown(service.database, row.clipId))) throw gone();
    const target = bookmark ?? Date.parse(at ?? '');
    const before = accepted(await service.job(params.id).recover(target));
    // The call rejects, because it restarts the object.
    await service
      .job(params.id)
      .restart()
      .catch(() => {});
    const version = Math.max(before.version, row?.version ?? 0);
    const run = Math.max(before.run, await findLastRun(service.database, params.id));
    const status = await service.job(params.id).recovered({ version, fence: before.fence, run });
    return reply(200, { job_id: params.id, status, undo_bookmark: before.undo });
  },
});

/** The platform lists objects by their own ids, which do not reveal the job. */
export const reindexJobs = operation({
  route: 'POST /admin/reindex',
  scope: 'operator:admin',
  body: ReindexRequest,
  answers: { 200: Reindexed },
  handler: async ({ jobObject }, { body, reply }) => {
    const { objects } = await body();
    const answers = await askAll(objects, async (id) => jobObject(id).reindex());
    const count = (answer: string) => answers.filter((one) => one === answer).length;
    return reply(200, {
      indexed: count('indexed'),
      current: count('current'),
      empty: count('empty'),
      failed: objects.filter((_, i) => answers[i] === null),
    });
  },
});

/** Clips per call. Their files are read: usually half a gigabyte. */
const PAGE = 50;

/** Reads the files of a page of clips. */
export const checkClips = operation({
  route: 'POST /admin/clips/check',
  scope: 'operator:admin',
  body: CheckClips,
  answers: { 200: CheckedClips },
  handler: async ({ database, files, job, controls }, { requestId, body, reply }) => {
    const { cursor = '', resubmit } = await body();
    const page = await selectClipFiles(database, cursor, PAGE);
    const ready = page.filter(({ state }) => state === 'ready');
    const found = await mapFew(ready, async ({ videoKey, thumbnailKey }) => ({
      video: await isWhole(files, videoKey),
      thumbnail: await isWhole(files, thumbnailKey),
    }));
    const lost = ready.flatMap(({ id, jobId, accountId }, i) => {
      const missing = (['video', 'thumbnail'] as const).filter((file) => !found[i]?.[file]);
      return missing.length === 0 ? [] : [{ clip_id: id, job_id: jobId, account_id: accountId, missing }];
    });
    const { blocked } = await controls.read();
    const again = resubmit
      ? await askAll(
          lost,
          async ({ job_id, account_id }) => (await job(job_id).resubmit(account_id, { requestId, blocked })).ok,
        )
      : [];
    return reply(200, {
      checked: ready.length,
      lost,
      resubmitted: again.filter((one) => one === true).length,
      next_cursor: page.length < PAGE ? null : (page.at(-1)?.id ?? null),
    });
  },
});

/** Returns whether a file can be read to its end: storage may list a file that it has lost. Rejects on other errors. */
async function isWhole(files: R2Bucket, key: string): Promise<boolean> {
  try {
    const file = await files.get(key);
    await file?.body.pipeTo(new WritableStream());
    return file !== null;
  } catch (error) {
    if (isTransient(error)) throw error;
    return false;
  }
}

/** The job decides. Repeatable: a clip that was taken down keeps its first reason. */
export const removeClip = operation({
  route: 'DELETE /admin/clips/:id',
  scope: 'operator:operate',
  body: TakeDown,
  answers: { 204: null },
  handler: async (service, { params, body, request, requestId, reply }) => {
    const { reason } = await body();
    const clipId = params.id;
    const owned = await askOwner(service, clipId, (owner) => owner.takeDown({ clipId, reason, requestId }));
    // The erasure of an account finds the entry by this id, and deletes the reason.
    noteTarget(request, { account_id: accepted(owned) });
    await forgetRecord(service, clipId);
    return reply(204, null);
  },
});

export const words = (): Words => ({
  recoverJob: {
    summary: 'Restore an earlier state of a job',
    command: 'jobs recover <job>',
    description:
      "Restores the job's object as it was at a time or bookmark, by the platform's point-in-time recovery: its state, webhooks and attempts, not its files. The index and viewers then follow. A job whose clip was taken down is refused with 410: it would bring the clip back. A local runtime keeps no earlier states and answers 501.",
    body: { examples: only({ at: '2026-05-04T18:32:00.000Z' }) },
    answers: {
      200: answer('The job is as it was then.', {
        job_id: JOB_ID,
        status: 'done',
        undo_bookmark: '0000007b-0000b26e-00001538-0c3e87bb37b3db5c',
      }),
    },
    problems: ['gone', 'not_implemented'],
  },
  reindexJobs: {
    summary: 'Rebuild the index from the jobs',
    description:
      'Rebuilds an index that was restored or lost: each named object writes its rows and its public record if they are out of date. Repeatable.',
    body: { examples: only({ objects: ['5f'.repeat(32)] }) },
    answers: { 200: answer('The result for each object.', { indexed: 1, current: 0, empty: 0, failed: [] }) },
  },
  checkClips: {
    summary: 'Find clips without their files',
    description:
      'A page of all clips, in the order of their ids. With `resubmit`, clips that lack a file are rendered again in place, and their clients are notified of the new outcome.',
    body: { examples: only({ resubmit: true }) },
    answers: {
      200: answer('The number of checked clips, and those that lack a file.', {
        checked: 200,
        lost: [{ clip_id: DONE_JOB.clip_id, job_id: JOB_ID, account_id: ACCOUNT_ID, missing: ['video'] }],
        resubmitted: 1,
        next_cursor: null,
      }),
    },
  },
  removeClip: {
    summary: 'Take a clip down',
    command: 'clips remove <clip>',
    description:
      'Deletes the clip of any account for good, also of a suspended one: its pages and files answer 410, its files and their copies in caches are deleted before all others. An unfinished run of its job ends, and later ones fail at once, with `clip_removed`. The owner reads the reason with the clip (`include=removal`).',
    body: { examples: only({ reason: 'Shows the address of a player.' }) },
    answers: { 204: { description: 'The clip is taken down.' } },
  },
});
