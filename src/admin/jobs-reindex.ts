import { json } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { ReindexRequest } from '#protocol/recovery.ts';
import type { AdminHandler } from './admin-handler.ts';
import { askAll } from './all-databases.ts';

/**
 * `POST /admin/reindex`: each object writes what it knows into the index and for viewers, where these are behind. The
 * platform lists objects by their own ids, which do not tell the job.
 */
export const reindexJobs: AdminHandler<'jobObject'> = async ({ jobObject }, { request }) => {
  const { objects } = await readShape(request, ReindexRequest);
  const answers = await askAll(objects, async (id) => jobObject(id).reindex());
  const count = (answer: string) => answers.filter((one) => one === answer).length;
  return json({
    indexed: count('indexed'),
    current: count('current'),
    empty: count('empty'),
    failed: objects.filter((_, i) => answers[i] === null),
  });
};
