import { accepted } from '#http/accepted.ts';
import { deliveryList } from '#protocol/delivery-view.ts';
import { ACCOUNT_ID, JOB_ID } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import { TroubleList, TroubleQuery } from '#protocol/operate.ts';
import { AT, EXHAUSTED, NO_MORE } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectTroubled } from '#storage/all-jobs.ts';
import { readNames } from '#storage/find.ts';
import { askAll } from '../each-of.ts';
import { pageOf } from '../operations/page-of.ts';

/** Each job reports its own webhook. */
export const listTroubles = operation({
  route: 'GET /admin/deliveries',
  scope: 'operator:read',
  query: TroubleQuery,
  answers: { 200: TroubleList },
  handler: async (service, { query, reply }) => {
    const { limit, cursor, trouble, account } = query();
    const found = await selectTroubled(service.database, { trouble, accountId: account }, cursor, limit);
    const { rows, next_cursor } = pageOf(found, limit);
    const [answers, nameOf] = await Promise.all([
      askAll(rows, async ({ id, accountId }) => accepted(await service.job(id).deliveries(accountId))),
      readNames(
        service.database,
        rows.map(({ accountId }) => accountId),
      ),
    ]);
    const deliveries = rows.map(({ id, accountId, trouble: what, createdAt }, i) => {
      const status = what === 'exhausted' ? 'exhausted' : 'queued';
      const latest = answers[i]?.findLast((one) => one.status === status) ?? answers[i]?.at(-1);
      return {
        job_id: id,
        account_id: accountId,
        account_name: nameOf(accountId),
        trouble: what,
        created_at: isoTime(createdAt),
        delivery: latest ? (deliveryList([latest]).deliveries[0] ?? null) : null,
      };
    });
    return reply(200, { deliveries, next_cursor });
  },
});

export const words = (): Words => ({
  listTroubles: {
    summary: 'List webhooks that have not arrived',
    command: 'deliveries list',
    description: 'Returns the last webhook or Discord post of each job of all accounts, oldest first.',
    answers: {
      200: answer('A page of webhooks.', {
        deliveries: [
          {
            ...{ job_id: JOB_ID, account_id: ACCOUNT_ID, account_name: 'Example' },
            ...{ trouble: 'exhausted', created_at: AT, delivery: EXHAUSTED },
          },
        ],
        ...NO_MORE,
      }),
    },
  },
});
