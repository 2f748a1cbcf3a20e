import { ACCOUNT_ID, DONE_JOB, JOB_ID } from '#protocol/examples.ts';
import { SearchAnswer, SearchQuery } from '#protocol/operate.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { jobIdOfKey } from '#service/submit-one.ts';
import { readNames, selectFound, selectSalts } from '#storage/find.ts';

/** The most accounts whose job of an idempotency key is looked for. Each costs a hash. */
const ACCOUNTS = 200;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The id of a job without a clip is computed from the clip's id, and that of an idempotency key from the key. */
export const searchAll = operation({
  route: 'GET /admin/search',
  scope: 'operator:read',
  query: SearchQuery,
  answers: { 200: SearchAnswer },
  handler: async ({ database, clipIds }, { query, reply }) => {
    const { q, account } = query();
    const ids = (q.toLowerCase().match(UUID) ?? []).slice(0, 10);
    const salts = await selectSalts(database, account, ACCOUNTS + 1);
    const tried = salts.slice(0, ACCOUNTS);
    const [owners, jobs] = await Promise.all([
      Promise.all(ids.map(clipIds.ownerOf)),
      Promise.all(tried.map((salt) => jobIdOfKey(salt, q))),
    ]);
    const found = await selectFound(database, [...ids, ...owners, ...jobs], q);
    const nameOf = await readNames(
      database,
      found.map(({ accountId }) => accountId),
    );
    const results = found.map(({ kind, id, name, accountId, jobId }) => ({
      ...{ kind, id, name, job_id: jobId, account_id: accountId, account_name: nameOf(accountId) },
    }));
    return reply(200, { results, accounts_tried: tried.length, is_every_account: salts.length <= ACCOUNTS });
  },
});

export const words = (): Words => ({
  searchAll: {
    summary: 'Search for anything',
    command: 'search <q>',
    description:
      "Searches by the id of a job, a clip, an account or a host; by the address of a clip's page; by an idempotency key; or by a part of the name of an account or a host.",
    answers: {
      200: answer('The objects that were found.', {
        results: [
          {
            kind: 'job',
            id: JOB_ID,
            name: DONE_JOB.status,
            job_id: JOB_ID,
            account_id: ACCOUNT_ID,
            account_name: 'Example',
          },
        ],
        accounts_tried: 12,
        is_every_account: true,
      }),
    },
  },
});
