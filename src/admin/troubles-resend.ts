import { JOB_ID } from '#protocol/examples.ts';
import { ResendRequest, Resent } from '#protocol/operate.ts';
import { NO_MORE } from '#protocol/operator-examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectJobRows, selectTroubled, type Troubled } from '#storage/all-jobs.ts';
import { askAll } from '../each-of.ts';
import { pageOf } from '../operations/page-of.ts';

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
