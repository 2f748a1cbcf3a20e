import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { JobListQuery } from '#protocol/lists.ts';
import { selectJobs } from '#storage/lists.ts';
import type { ApiHandler } from './api-handler.ts';
import { jobSummary } from './job-summary.ts';
import { pageOf } from './page-of.ts';

/** `GET /api/jobs`: newest first, out of the index, which follows the jobs by some milliseconds. */
export const listJobs: ApiHandler<'databases'> = async ({ databases }, { caller, url }) => {
  const { created_from, created_to, limit, cursor, status, mode } = parseQuery(url.searchParams, JobListQuery);
  const page = { from: created_from, to: created_to, after: cursor, limit };
  const { rows, next_cursor } = pageOf(
    await selectJobs(databases.replicaOf(caller.database), caller.accountId, { ...page, status, mode }),
    limit,
  );
  return json({ jobs: rows.map(jobSummary), next_cursor });
};
