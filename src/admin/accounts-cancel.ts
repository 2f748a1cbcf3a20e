import { notFound } from '#http/problem.ts';
import { Canceled, CancelQuery } from '#protocol/admin.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { selectUnfinished } from '#storage/lists.ts';
import { askAll } from '../each-of.ts';

/** Jobs that one request cancels, each by a call of its object. */
const BATCH = 500;

/** Cancels a page of jobs at a time. */
export const cancelAccount = operation({
  route: 'POST /admin/accounts/:id/cancel',
  scope: 'operator:operate',
  query: CancelQuery,
  answers: { 200: Canceled },
  handler: async ({ database, job }, { params, requestId, query, reply }) => {
    const { cursor } = query();
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    const found = await selectUnfinished(database, account.id, cursor, BATCH);
    // The index may lag behind the jobs. Canceling a job that has finished changes nothing.
    const answers = await askAll(found, async ({ id }) => (await job(id).cancel(null, requestId)).ok);
    return reply(200, {
      canceled: answers.filter((one) => one === true).length,
      failed: found.flatMap(({ id }, i) => (answers[i] === null ? [id] : [])),
      next_cursor: found.length < BATCH ? null : (found.at(-1)?.id ?? null),
    });
  },
});

export const words = (): Words => ({
  cancelAccount: {
    summary: 'Cancel all jobs of an account',
    description:
      'Cancels every unfinished job of the account, up to 500 with one call. Repeat with `next_cursor` until it is null. `failed` lists jobs that did not answer.',
    answers: { 200: answer('The jobs are canceled.', { canceled: 37, failed: [], next_cursor: null }) },
  },
});
