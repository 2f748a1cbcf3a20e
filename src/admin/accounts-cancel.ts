import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { parseQuery } from '#http/read-body.ts';
import { CancelQuery } from '#protocol/admin.ts';
import { findAccount } from '#storage/accounts.ts';
import { selectUnfinished } from '#storage/lists.ts';
import type { AdminHandler } from './admin-handler.ts';
import { askAll } from './all-databases.ts';

/** Jobs that one call cancels, each by a call of its object. */
const BATCH = 500;

/**
 * `POST /admin/accounts/:id/cancel`: cancels every unfinished job of the account, a page at a time. A job that does not
 * answer is listed in `failed`; the others are canceled.
 */
export const cancelAccount: AdminHandler<'database' | 'databases' | 'job', 'id'> = async (
  { database, databases, job },
  { params, requestId, url },
) => {
  const { cursor } = parseQuery(url.searchParams, CancelQuery);
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  const found = await selectUnfinished(databases.of(account.database), account.id, cursor, BATCH);
  // The index follows the jobs: one that has finished meanwhile stays as it is.
  const answers = await askAll(found, async ({ id }) => (await job(id).cancel(null, requestId)).ok);
  return json({
    canceled: answers.filter((one) => one === true).length,
    failed: found.flatMap(({ id }, i) => (answers[i] === null ? [id] : [])),
    next_cursor: found.length < BATCH ? null : found.at(-1)?.id,
  });
};
