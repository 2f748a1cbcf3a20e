import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { parseQuery } from '../../http/read-body.ts';
import { CancelQuery } from '../../protocol/admin.ts';
import { findAccount } from '../../storage/accounts.ts';
import { selectUnfinished } from '../../storage/lists.ts';
import { mapFew } from '../each-of.ts';
import type { AdminHandler } from './admin-handler.ts';

/** Jobs that one call cancels, each by a call of its object. */
const BATCH = 500;

/** `POST /admin/accounts/:id/cancel`: every job of the account that has not finished, a page of them at a time. */
export const cancelAccount: AdminHandler<'database' | 'databases' | 'job', 'id'> = async (
  { database, databases, job },
  { params, requestId, url },
) => {
  const { cursor } = parseQuery(url.searchParams, CancelQuery);
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  const found = await selectUnfinished(databases.of(account.database), account.id, cursor, BATCH);
  // The index follows the jobs: one that has finished meanwhile stays as it is.
  const answers = await mapFew(found, async ({ id }) => (await job(id).cancel(null, requestId)).ok);
  const canceled = answers.filter(Boolean).length;
  return json({ canceled, next_cursor: found.length < BATCH ? null : String(found.at(-1)?.row) });
};
