import { json } from '#http/json.ts';
import { mayPass } from '#http/may-pass.ts';
import { readShape } from '#http/read-body.ts';
import { CheckClips } from '#protocol/recovery.ts';
import { pageAcross } from '#storage/database.ts';
import { selectClipFiles } from '#storage/recovery.ts';
import { mapFew } from '../each-of.ts';
import type { AdminHandler } from './admin-handler.ts';
import { askAll } from './all-databases.ts';

/** Clips of one call. Their files are read: usually half a gigabyte. */
const PAGE = 50;

/**
 * `POST /admin/clips/check`: reads the files of a page of clips, in the order of their ids, database by database;
 * where they are gone and it is wanted, has the clip rendered again.
 */
export const checkClips: AdminHandler<'databases' | 'files' | 'job'> = async (
  { databases, files, job },
  { request, requestId },
) => {
  const { cursor = '', resubmit } = await readShape(request, CheckClips);
  const { page, next } = await pageAcross(databases, cursor, PAGE, selectClipFiles);
  const ready = page.filter(({ state }) => state === 'ready');
  const found = await mapFew(ready, async ({ videoKey, thumbnailKey }) => ({
    video: await isWhole(files, videoKey),
    thumbnail: await isWhole(files, thumbnailKey),
  }));
  const lost = ready.flatMap(({ id, jobId, accountId }, i) => {
    const missing = (['video', 'thumbnail'] as const).filter((file) => !found[i]?.[file]);
    return missing.length === 0 ? [] : [{ clip_id: id, job_id: jobId, account_id: accountId, missing }];
  });
  const again = resubmit
    ? await askAll(lost, async ({ job_id, account_id }) => (await job(job_id).resubmit(account_id, { requestId })).ok)
    : [];
  return json({
    checked: ready.length,
    lost,
    resubmitted: again.filter((one) => one === true).length,
    next_cursor: next ?? null,
  });
};

/**
 * Whether a file can be read to its end: storage may list a file that it has lost. Rejects if that cannot be determined
 * now.
 */
async function isWhole(files: R2Bucket, key: string): Promise<boolean> {
  try {
    const file = await files.get(key);
    await file?.body.pipeTo(new WritableStream());
    return file !== null;
  } catch (error) {
    if (mayPass(error)) throw error;
    return false;
  }
}
