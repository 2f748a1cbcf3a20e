import * as z from 'zod';
import { invalidRequest, notFound } from '#http/problem.ts';
import { AccountErasure, AccountView } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { findAccount } from '#storage/accounts.ts';
import { beginErasing } from '#storage/erasure.ts';
import { accountView } from './views.ts';

const KEPT = 'Seconds rendered by day, under the id of the account and without its name, for invoices.';

const ErasingAccount = AccountView.extend({
  keeps: z.string().meta({ description: 'The data that the service keeps after the erasure.' }),
}).meta({ id: 'ErasingAccount', description: 'An account that is being erased.' });

/** Begins the erasure. The cron continues it (`sweepErasures`). */
export const eraseAccount = operation({
  route: 'POST /admin/accounts/:id/erase',
  scope: 'operator:admin',
  body: AccountErasure,
  answers: { 202: ErasingAccount },
  handler: async ({ database, dispatcher, now, settings }, { params, body, reply }) => {
    const { name } = await body();
    const account = await findAccount(database, params.id);
    if (!account) throw notFound();
    if (name !== account.name) throw invalidRequest([{ path: 'name', message: "must be the account's name" }]);
    const at = now();
    await beginErasing(database, account.id, at);
    // Keeps hosts from jobs that will be deleted.
    await dispatcher().suspend(account.id, true);
    const { suspendedAt, erasingAt } = account;
    const erasing = { ...account, suspendedAt: suspendedAt ?? at, erasingAt: erasingAt ?? at };
    return reply(202, { ...accountView(erasing, settings.limits), keeps: KEPT });
  },
});

export const words = (): Words => ({
  eraseAccount: {
    summary: 'Erase an account',
    command: 'accounts erase <account>',
    description:
      'Erases the account and all that it owns: jobs, clips and their files, demos, assets, keys, secrets. It is suspended and loses its keys at once. The cron then deletes the rest, in turns with other accounts, and the account itself last, after an hour at the earliest. It cannot be undone. What stays: its lines of `GET /admin/usage`, under its id and without its name; the entries of the audit log, without what was sent; and viewers see that its clips were deleted.',
    body: { examples: only({ name: 'Example' }) },
    answers: {
      202: answer('The erasure has begun. The same call again continues it.', {
        ...ACCOUNT,
        suspended_at: '2026-05-04T18:32:00.000Z',
        erasing_at: '2026-05-04T18:32:00.000Z',
        keeps: KEPT,
      }),
    },
  },
});
