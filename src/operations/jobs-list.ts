import { JOB_ID, LISTED_JOB } from '#protocol/examples.ts';
import { JobList, JobListQuery } from '#protocol/lists.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectJobs } from '#storage/lists.ts';
import { jobSummary } from './job-summary.ts';
import { pageOf } from './page-of.ts';

/** Reads the index. */
export const listJobs = operation({
  route: 'GET /api/jobs',
  scope: 'account:read',
  query: JobListQuery,
  answers: { 200: JobList },
  handler: async ({ replica }, { caller, query, reply }) => {
    const { created_from, created_to, limit, cursor, status, mode } = query();
    const page = { from: created_from, to: created_to, after: cursor, limit };
    const { rows, next_cursor } = pageOf(
      await selectJobs(replica(), caller.accountId, { ...page, status, mode }),
      limit,
    );
    return reply(200, { jobs: rows.map(jobSummary), next_cursor });
  },
});

export const words = (): Words => ({
  listJobs: {
    tag: 'Jobs',
    summary: 'List jobs',
    description:
      'Returns jobs, newest first, without their payloads, from an index that is some milliseconds behind. Either key lists every job of the account.',
    answers: { 200: answer('A page of jobs.', { jobs: [LISTED_JOB], next_cursor: `1777919400000_${JOB_ID}` }) },
  },
});
