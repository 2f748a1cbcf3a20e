import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { ACCOUNT_ID, LISTED_JOB } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import { formatCursor } from '#protocol/lists.ts';
import { AllJobs, AllJobsQuery } from '#protocol/operate.ts';
import { NO_MORE } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import { findAccount } from '#storage/accounts.ts';
import { selectAllJobs } from '#storage/all-jobs.ts';
import { selectJobs } from '#storage/lists.ts';
import type { JobRow } from '#storage/schema.ts';
import { byAge, type CreatedPosition, ofEach } from './all-databases.ts';
import { isoTimeOrNull } from './views.ts';

/** Reads every database. */
export const listAllJobs = operation({
  route: 'GET /admin/jobs',
  scope: 'operator:read',
  query: AllJobsQuery,
  handler: async (service, { query }) => {
    const asked = query();
    const { account, status, mode, tier, error_code, limit, cursor } = asked;
    const priority = tier && tier === 'reserved';
    const window = { from: asked.created_from, to: asked.created_to, after: cursor };
    const parts =
      account === undefined
        ? await ofEach(service.databases, (db) =>
            selectAllJobs(db, { ...window, limit, status, mode, priority, errorCode: error_code }),
          )
        : [await ofAccount(service, account, { ...window, limit, status, mode })];
    // Past the first end of a page, rows of that database may be missing.
    const ends = parts.flatMap(({ end }) => end ?? []).sort(byAge);
    const end = ends.at(-1);
    const found = parts.flatMap(({ rows }) => rows).filter((row) => end === undefined || byAge(row, end) >= 0);
    const rows = found.sort((a, b) => byAge(b, a)).slice(0, limit);
    const last: CreatedPosition | undefined = found.length > limit ? rows.at(-1) : end;
    const isMeant = (row: JobRow) =>
      (priority === undefined || row.priority === priority) && (error_code ?? row.errorCode) === row.errorCode;
    return json({ jobs: rows.filter(isMeant).map(viewOf), next_cursor: last ? formatCursor(last) : null });
  },
});

export const words = (): OperationWords => ({
  summary: 'List jobs of all accounts',
  command: 'jobs list',
  description:
    'Newest first. A filter searches some thousand jobs at a time: continue while there is a `next_cursor`, even after a short page.',
  answers: {
    200: answer('The jobs.', AllJobs, { jobs: [{ ...LISTED_JOB, account_id: ACCOUNT_ID, webhook: null }], ...NO_MORE }),
  },
});

async function ofAccount(
  { database, databases }: Pick<Service, 'database' | 'databases'>,
  accountId: string,
  query: Parameters<typeof selectJobs>[2],
): Promise<{ rows: JobRow[]; end: null }> {
  const account = await findAccount(database, accountId);
  if (!account) throw notFound();
  return { rows: await selectJobs(databases.of(account.database), accountId, query), end: null };
}

function viewOf(row: JobRow) {
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
  };
}
