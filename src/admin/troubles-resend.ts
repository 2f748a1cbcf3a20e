import { json } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { ResendRequest } from '#protocol/operate.ts';
import type { Troubled } from '#storage/all-jobs.ts';
import type { AdminHandler } from './admin-handler.ts';
import { askAll, findRowOf } from './all-databases.ts';
import { troublesOf } from './troubles-list.ts';

interface Page {
  readonly rows: readonly (Pick<Troubled, 'id' | 'accountId'> | null)[];
  readonly next_cursor: string | null;
}

/** As many as one call may name. */
const AT_ONCE = 100;

/** `POST /admin/deliveries/resend`: of some jobs, or of all that have one that is used up, a hundred at a time. */
export const resendTroubles: AdminHandler<'databases' | 'job'> = async (service, { request }) => {
  const { job_ids, account, cursor } = await readShape(request, ResendRequest);
  const { rows, next_cursor }: Page =
    job_ids === undefined
      ? await troublesOf(service, { trouble: 'exhausted', accountId: account }, cursor, AT_ONCE)
      : { rows: await askAll(job_ids, (id) => findRowOf(service, id)), next_cursor: null };
  const answers = await askAll(rows, async (row) =>
    row === null ? null : await service.job(row.id).resendWebhook(row.accountId),
  );
  const refused = answers.flatMap((answer, i) => {
    if (answer?.ok) return [];
    const id = rows[i]?.id ?? job_ids?.[i] ?? '';
    return [{ job_id: id, reason: rows[i] ? (answer?.refusal ?? 'unavailable') : 'not_found' }];
  });
  return json({ resent: rows.length - refused.length, refused, next_cursor });
};
