import type { z } from 'zod';
import { waitOf } from '#domain/wait.ts';
import { accepted } from '#http/accepted.ts';
import { notFound } from '#http/problem.ts';
import { ACCOUNT_ID, JOB_ID, LISTED_JOB } from '#protocol/examples.ts';
import { isoTime, isoTimeOrNull, JobRef } from '#protocol/job-view.ts';
import { formatCursor } from '#protocol/lists.ts';
import { AllJobs, AllJobsQuery } from '#protocol/operate.ts';
import { NO_MORE } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import { findAccount } from '#storage/accounts.ts';
import { type JobCursor, selectAllJobs } from '#storage/all-jobs.ts';
import type { Database } from '#storage/database.ts';
import { readNames } from '#storage/find.ts';
import { selectJobs } from '#storage/lists.ts';
import type { JobRow } from '#storage/schema.ts';
import { jobFinished } from '../operations/jobs.ts';

const RETRIES = 'It waits for its next attempt.';
const UNQUEUED = 'It is in no queue now, and is queued again by itself.';

export const listAllJobs = operation({
  route: 'GET /admin/jobs',
  scope: 'operator:read',
  query: AllJobsQuery,
  answers: { 200: AllJobs },
  handler: async ({ database, dispatcher, now }, { query, reply }) => {
    const { rows, last } = await findJobs(database, query());
    const [waits, nameOf] = await Promise.all([
      waitsOf({ dispatcher }, rows, now()),
      readNames(
        database,
        rows.flatMap(({ accountId, clipId }) => [accountId, clipId]),
      ),
    ]);
    const jobs = rows.map((row) => {
      const names = { account_name: nameOf(row.accountId), title: nameOf(row.clipId) };
      return { ...viewOf(row, waits.get(row.id) ?? null), ...names };
    });
    return reply(200, { jobs, next_cursor: last ? formatCursor(last) : null });
  },
});

/**
 * Reads a page of the jobs of all accounts, or of one, newest first. `last`: where the next page begins; null if there
 * is none. Throws a 404 problem for an unknown account.
 */
export async function findJobs(
  database: Database,
  asked: z.output<typeof AllJobsQuery>,
): Promise<{ readonly rows: readonly JobRow[]; readonly last: JobCursor | null }> {
  const { account, status, mode, tier, error_code: errorCode, limit } = asked;
  const priority = tier && tier === 'reserved';
  const page = { from: asked.created_from, to: asked.created_to, after: asked.cursor, limit, status, mode };
  if (account !== undefined && !(await findAccount(database, account))) throw notFound();
  const { rows: found, end } =
    account === undefined
      ? await selectAllJobs(database, { ...page, priority, errorCode })
      : { rows: await selectJobs(database, account, page), end: null };
  const rows = found.slice(0, limit);
  const last = (found.length > limit ? rows.at(-1) : end) ?? null;
  const isMeant = (row: JobRow) =>
    (priority === undefined || row.priority === priority) && (errorCode ?? row.errorCode) === row.errorCode;
  return { rows: rows.filter(isMeant), last };
}

/** Returns why jobs wait, by id. A list is shown without the reasons if the dispatcher fails. */
async function waitsOf(
  { dispatcher }: Pick<Service, 'dispatcher'>,
  rows: readonly JobRow[],
  now: number,
): Promise<Map<string, string>> {
  const waits = new Map(rows.flatMap(({ id, status }) => (status === 'retrying' ? [[id, RETRIES]] : [])));
  const pending = rows.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return waits;
  const ids = pending.map(({ id }) => id);
  const [found, fleet] = await Promise.all([dispatcher().findJobs(ids, false), dispatcher().fleet()]).catch(() => []);
  for (const [i, { id }] of pending.entries()) {
    const queued = found?.[i];
    if (queued && fleet) waits.set(id, waitOf({ need: queued.need, queued }, fleet, now, true).text);
    else if (found) waits.set(id, UNQUEUED);
  }
  return waits;
}

function viewOf(row: JobRow, waits: string | null) {
  return {
    id: row.id,
    account_id: row.accountId,
    status: row.status,
    mode: row.mode,
    priority: row.priority,
    fps: row.fps,
    resolution: row.resolution,
    clip_id: row.status === 'done' ? row.clipId : null,
    error_code: row.errorCode,
    created_at: isoTime(row.createdAt),
    finished_at: isoTimeOrNull(row.finishedAt),
    webhook: row.webhookTrouble,
    waits,
  };
}

export const cancelAnyJob = operation({
  route: 'POST /admin/jobs/:id/cancel',
  scope: 'operator:operate',
  answers: { 200: JobRef },
  handler: async ({ job }, { params, requestId, reply }) => {
    accepted(await job(params.id).cancel(null, requestId), { job_finished: jobFinished });
    return reply(200, { job_id: params.id });
  },
});

export const words = (): Words => ({
  listAllJobs: {
    summary: 'List jobs of all accounts',
    command: 'jobs list',
    description:
      'Returns jobs, newest first. A filter searches some thousand jobs at a time: continue while there is a `next_cursor`, even after a short page.',
    answers: {
      200: answer('A page of jobs.', {
        jobs: [
          { ...LISTED_JOB, account_id: ACCOUNT_ID, account_name: 'Example', title: null, webhook: null, waits: null },
        ],
        ...NO_MORE,
      }),
    },
  },
  cancelAnyJob: {
    summary: 'Cancel a job',
    command: 'jobs cancel <job>',
    description: 'Cancels a job of any account.',
    answers: { 200: answer('The job is canceled.', { job_id: JOB_ID }) },
    problems: ['job_finished'],
  },
});
