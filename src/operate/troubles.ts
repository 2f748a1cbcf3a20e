import { accepted } from '#http/accepted.ts';
import { ACCOUNT_ID, JOB_ID } from '#protocol/examples/client.ts';
import { AT, EXHAUSTED, NO_MORE } from '#protocol/examples/operator.ts';
import { deliveryList } from '#protocol/job/delivery-view.ts';
import { pageOf } from '#protocol/lib/lists.ts';
import { isoTime } from '#protocol/lib/shapes.ts';
import { ResendRequest, Resent, TroubleList, TroubleQuery } from '#protocol/operate/operate.ts';
import { askAll } from '#service/lib/each-of.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { selectJobRows, selectTroubled, type Troubled } from '#storage/operate/all-jobs.ts';
import { readNames } from '#storage/operate/find.ts';

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

interface Page {
  readonly rows: readonly (Pick<Troubled, 'id' | 'accountId'> | null)[];
  readonly next_cursor: string | null;
}

/** Jobs that one call may name. */
const AT_ONCE = 100;

export const resendTroubles = operation({
  route: 'POST /admin/deliveries/resend',
  scope: 'operator:operate',
  body: ResendRequest,
  answers: { 200: Resent },
  handler: async ({ database, job }, { body, reply }) => {
    const { job_ids, account, cursor } = await body();
    const { rows, next_cursor }: Page =
      job_ids === undefined
        ? pageOf(await selectTroubled(database, { trouble: 'exhausted', accountId: account }, cursor, AT_ONCE), AT_ONCE)
        : { rows: await selectJobRows(database, job_ids), next_cursor: null };
    const answers = await askAll(rows, async (row) =>
      row === null ? null : await job(row.id).resendWebhook(row.accountId),
    );
    const refused = answers.flatMap((answer, i) => {
      if (answer?.ok) return [];
      const id = rows[i]?.id ?? job_ids?.[i] ?? '';
      return [{ job_id: id, reason: rows[i] ? (answer?.refusal ?? 'unavailable') : 'not_found' }];
    });
    return reply(200, { resent: rows.length - refused.length, refused, next_cursor });
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
            job_id: JOB_ID,
            account_id: ACCOUNT_ID,
            account_name: 'Example',
            trouble: 'exhausted',
            created_at: AT,
            delivery: EXHAUSTED,
          },
        ],
        ...NO_MORE,
      }),
    },
  },
  resendTroubles: {
    summary: 'Send webhooks again',
    description: 'The webhooks of the named jobs, or all exhausted ones, a hundred with each call.',
    body: {
      examples: {
        some: { summary: 'Of one job', value: { job_ids: [JOB_ID] } },
        all: { summary: 'Of all', value: { all: 'exhausted' } },
      },
    },
    answers: { 200: answer('The result for each webhook.', { resent: 1, refused: [], ...NO_MORE }) },
  },
});
