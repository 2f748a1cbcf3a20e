import { mayPass } from '#domain/error-codes.ts';
import { type RefusalReason, type Result, refuse } from '#domain/result.ts';
import { JOB_ID } from '#protocol/examples.ts';
import { formatCursor } from '#protocol/lists.ts';
import { RetryAnswer, RetryRequest } from '#protocol/retry.ts';
import type { Retried } from '#rpc/render-job.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectSuspended } from '#storage/accounts.ts';
import { selectJobRows } from '#storage/all-jobs.ts';
import type { Database } from '#storage/database.ts';
import type { JobRow } from '#storage/schema.ts';
import { askAll } from '../each-of.ts';
import { findJobs } from './jobs.ts';

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
    const { candidates, next_cursor } = await pageOf(database, asked, now());
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
async function pageOf(
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
        ...{ jobs: 1, reserved: 0, webhooks: 1, seconds: 14.5, unknown_seconds: 0, checked: 1, refused: [] },
        next_cursor: null,
      }),
    },
  },
});
