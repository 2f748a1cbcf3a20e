import type { z } from 'zod';
import { mayPass } from '#domain/failure/codes.ts';
import { waitOf } from '#domain/host/wait.ts';
import { type RefusalReason, type Result, refuse } from '#domain/job/result.ts';
import { accepted } from '#http/accepted.ts';
import { notFound } from '#http/problem.ts';
import { ACCOUNT_ID, JOB_ID, LISTED_JOB } from '#protocol/examples/client.ts';
import { NO_MORE } from '#protocol/examples/operator.ts';
import { JobRef } from '#protocol/job/job-view.ts';
import { formatCursor } from '#protocol/lib/lists.ts';
import { AllJobs, AllJobsQuery } from '#protocol/operate/operate.ts';
import { RetryAnswer, RetryRequest } from '#protocol/operate/retry.ts';
import type { Retried } from '#rpc/render-job.ts';
import { askAll } from '#service/lib/each-of.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { findAccount, selectSuspended } from '#storage/account/accounts.ts';
import type { Database } from '#storage/lib/database.ts';
import { selectJobs } from '#storage/lib/lists.ts';
import { type JobCursor, selectAllJobs, selectJobRows } from '#storage/operate/all-jobs.ts';
import { readNames } from '#storage/operate/find.ts';
import type { JobRow } from '#storage/schema/schema.ts';
import { jobSummary } from '../api/jobs.ts';

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
      const { accountId: account_id, mode, webhookTrouble: webhook } = row;
      const names = { account_name: nameOf(account_id), title: nameOf(row.clipId) };
      return { ...jobSummary(row), account_id, mode, webhook, waits: waits.get(row.id) ?? null, ...names };
    });
    return reply(200, { jobs, next_cursor: last ? formatCursor(last) : null });
  },
});

/**
 * Reads a page of the jobs of all accounts, or of one, newest first. `last`: where the next page begins; null if there
 * is none. Throws a 404 problem for an unknown account.
 */
async function findJobs(
  database: Database,
  asked: z.output<typeof AllJobsQuery>,
): Promise<{ readonly rows: readonly JobRow[]; readonly last: JobCursor | null }> {
  const { account, tier, error_code: errorCode, ...page } = asked;
  const { limit } = page;
  const priority = tier && tier === 'reserved';
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

export const cancelAnyJob = operation({
  route: 'POST /admin/jobs/:id/cancel',
  scope: 'operator:operate',
  answers: { 200: JobRef },
  handler: async ({ job }, { params, requestId, reply }) => {
    accepted(await job(params.id).cancel(null, requestId));
    return reply(200, { job_id: params.id });
  },
});

/** A job of a page: null if the index has no row of it. */
interface Candidate {
  readonly id: string;
  readonly row: JobRow | null;
}

/**
 * Asks each job of a page. The job itself decides: it runs again only if its outcome is still the one of its row, so of
 * two operators who do the same, one gets `job_changed` or `job_in_flight`.
 */
export const resubmitJobs = operation({
  route: 'POST /admin/jobs/resubmit',
  scope: 'operator:operate',
  body: RetryRequest,
  answers: { 200: RetryAnswer },
  handler: async ({ database, job, controls, now }, { body, requestId, reply }) => {
    const asked = await body();
    const { status, host: hostId, build: gameBuild, dry_run: isDryRun } = asked;
    const { candidates, next_cursor } = await candidatesOf(database, asked, now());
    const [suspended, { blocked }] = await Promise.all([
      selectSuspended(database, [...new Set(candidates.flatMap(({ row }) => row?.accountId ?? []))]),
      controls.read(),
    ]);
    const answers = await askAll(candidates, async ({ row }): Promise<Result<Retried | null, RefusalReason>> => {
      if (row === null) return refuse('not_found');
      if (suspended.has(row.accountId)) return refuse('account_suspended');
      const finishedAt = asked.all ? (row.finishedAt ?? undefined) : undefined;
      const { id, accountId } = row;
      const filter = { status, finishedAt, hostId, gameBuild };
      return job(id).retry({ accountId, ...filter, isDryRun, requestId, blocked });
    });
    const retried = answers.flatMap((one, i) =>
      one?.ok && one.value ? [{ ...one.value, row: candidates[i]?.row }] : [],
    );
    const known = retried.flatMap(({ seconds }) => seconds ?? []);
    return reply(200, {
      jobs: retried.length,
      reserved: retried.filter(({ row }) => row?.priority).length,
      webhooks: retried.filter(({ hasWebhook }) => hasWebhook).length,
      seconds: Math.round(known.reduce((a, b) => a + b, 0) * 1000) / 1000,
      unknown_seconds: retried.length - known.length,
      checked: candidates.length,
      refused: candidates.flatMap(({ id }, i) => {
        const one = answers[i];
        return one?.ok ? [] : [{ job_id: id, reason: one?.refusal ?? 'unavailable' }];
      }),
      next_cursor,
    });
  },
});

/** Returns the named jobs, or a page of those that match. Jobs that ended after the first page are left out. */
async function candidatesOf(
  database: Database,
  asked: RetryRequest,
  now: number,
): Promise<{ readonly candidates: readonly Candidate[]; readonly next_cursor: string | null }> {
  if (asked.job_ids) {
    const ids = [...new Set(asked.job_ids)];
    const rows = await selectJobRows(database, ids);
    return { candidates: ids.map((id, i) => ({ id, row: rows[i] ?? null })), next_cursor: null };
  }
  const { account, status, tier, error_code, created_from, created_to, limit } = asked;
  const { at, after } = asked.cursor ?? { at: now, after: undefined };
  const filter = { account, status, tier, error_code, created_from, created_to, mode: undefined };
  const { rows, last } = await findJobs(database, { ...filter, cursor: after, limit });
  const isMeant = ({ mode, finishedAt, errorCode }: JobRow) =>
    mode !== 'inspect' &&
    (finishedAt ?? at) < at &&
    (status === 'done' || error_code !== undefined || mayPass(errorCode));
  const candidates = rows.filter(isMeant).map((row) => ({ id: row.id, row }));
  return { candidates, next_cursor: last && `${at}_${formatCursor(last)}` };
}

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
  resubmitJobs: {
    summary: 'Run jobs again',
    description: [
      'The named jobs, or all that match, a hundred with each call: repeat with `next_cursor` until it is null. Only jobs that failed, unless `status` says otherwise. Each runs in place, under its id, and sends its webhook. It uses a slot or a share of its account and counts as unfinished there, and no limit of the account stops it.',
      'A job that has run since is not run twice. Jobs of suspended accounts, deleted clips, clips that were taken down, and demos that are blocked are refused, each with a reason.',
    ].join('\n\n'),
    body: {
      examples: {
        some: { summary: 'One job', value: { job_ids: [JOB_ID] } },
        all: { summary: 'What would run again', value: { all: true, error_code: 'cs2_unavailable', dry_run: true } },
      },
    },
    answers: {
      200: answer('The result for each job.', {
        jobs: 1,
        reserved: 0,
        webhooks: 1,
        seconds: 14.5,
        unknown_seconds: 0,
        checked: 1,
        refused: [],
        next_cursor: null,
      }),
    },
  },
});
