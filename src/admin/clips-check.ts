import { isTransient } from '#http/transient-error.ts';
import { ACCOUNT_ID, DONE_JOB, JOB_ID } from '#protocol/examples.ts';
import { CheckClips, CheckedClips } from '#protocol/recovery.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { selectClipFiles } from '#storage/recovery.ts';
import { askAll, mapFew } from '../each-of.ts';

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

export const words = (): Words => ({
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
