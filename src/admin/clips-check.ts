import { json } from '../../http/json.ts';
import { readShape } from '../../http/read-body.ts';
import { CheckClips } from '../../protocol/recovery.ts';
import { pageAcross } from '../../storage/database.ts';
import { selectClipFiles } from '../../storage/recovery.ts';
import type { AdminHandler } from './admin-handler.ts';
import { askAll } from './all-databases.ts';

/** Clips of one call: each is two calls of storage, and a third where it is rendered again. */
const PAGE = 200;

/**
 * `POST /admin/clips/check`: looks for the files of a page of clips, in the order of their ids, database by database;
 * where they are gone and it is wanted, has the clip rendered again.
 */
export const checkClips: AdminHandler<'databases' | 'files' | 'job'> = async (
  { databases, files, job },
  { request, requestId },
) => {
  const { cursor = '', resubmit } = await readShape(request, CheckClips);
  const { page, next } = await pageAcross(databases, cursor, PAGE, selectClipFiles);
  const ready = page.filter(({ state }) => state === 'ready');
  const found = await askAll(ready, async ({ videoKey, thumbnailKey }) => ({
    video: (await files.head(videoKey)) !== null,
    thumbnail: (await files.head(thumbnailKey)) !== null,
  }));
  const lost = ready.flatMap(({ id, jobId, accountId }, i) => {
    const there = found[i];
    const missing = there ? (['video', 'thumbnail'] as const).filter((file) => !there[file]) : [];
    return missing.length === 0 ? [] : [{ clip_id: id, job_id: jobId, account_id: accountId, missing }];
  });
  const again = resubmit
    ? await askAll(lost, async ({ job_id, account_id }) => (await job(job_id).resubmit(account_id, requestId)).ok)
    : [];
  return json({
    checked: ready.length,
    lost,
    resubmitted: again.filter((one) => one === true).length,
    next_cursor: next ?? null,
  });
};
