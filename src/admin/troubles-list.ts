import { accepted } from '#http/accepted.ts';
import { json } from '#http/json.ts';
import { deliveryList } from '#protocol/delivery-view.ts';
import { ACCOUNT_ID, JOB_ID } from '#protocol/examples.ts';
import { isoTime } from '#protocol/job-view.ts';
import type { ListCursor } from '#protocol/lists.ts';
import { TroubleList, TroubleQuery } from '#protocol/operate.ts';
import { AT, EXHAUSTED, NO_MORE } from '#protocol/operator-examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import type { Service } from '#service/service.ts';
import { selectTroubled, type Troubled, type TroubleFilter } from '#storage/all-jobs.ts';
import { pageOf } from '../operations/page-of.ts';
import { askAll, byAge, ofEach } from './all-databases.ts';

/** Each job reports its own webhook. */
export const listTroubles = operation({
  route: 'GET /admin/deliveries',
  scope: 'operator:read',
  query: TroubleQuery,
  handler: async (service, { query }) => {
    const { limit, cursor, trouble, account } = query();
    const { rows, next_cursor } = await troublesOf(service, { trouble, accountId: account }, cursor, limit);
    const answers = await askAll(rows, async ({ id, accountId }) =>
      accepted(await service.job(id).deliveries(accountId)),
    );
    const deliveries = rows.map(({ id, accountId, trouble: what, createdAt }, i) => {
      const latest = answers[i]?.at(-1);
      return {
        job_id: id,
        account_id: accountId,
        trouble: what,
        created_at: isoTime(createdAt),
        delivery: latest ? (deliveryList([latest]).deliveries[0] ?? null) : null,
      };
    });
    return json({ deliveries, next_cursor });
  },
});

export const words = (): OperationWords => ({
  summary: 'List webhooks that have not arrived',
  command: 'deliveries list',
  description: 'Of all accounts, oldest first; the last webhook of each job.',
  answers: {
    200: answer('The webhooks.', TroubleList, {
      deliveries: [
        { job_id: JOB_ID, account_id: ACCOUNT_ID, trouble: 'exhausted', created_at: AT, delivery: EXHAUSTED },
      ],
      ...NO_MORE,
    }),
  },
});

/** Returns a page of jobs of all databases whose last webhook was not delivered, the longest ago first. */
export async function troublesOf(
  { databases }: Pick<Service, 'databases'>,
  filter: TroubleFilter,
  cursor: ListCursor | undefined,
  limit: number,
): Promise<{ readonly rows: readonly Troubled[]; readonly next_cursor: string | null }> {
  const found = (await ofEach(databases, (db) => selectTroubled(db, filter, cursor, limit))).flat();
  return pageOf(found.sort(byAge), limit);
}
