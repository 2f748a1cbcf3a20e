import type { AccountLimits } from '#domain/account.ts';
import { notFound } from '#http/problem.ts';
import { AccountChanges, AccountView } from '#protocol/admin.ts';
import { ACCOUNT } from '#protocol/operator-examples.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { findTestAccount, updateAccount, updateViewing } from '#storage/accounts.ts';
import { scheduleRepublishing } from '../sweep-viewing.ts';
import { accountView, MIB } from './views.ts';

/** Takes effect within 30 seconds. If the dispatcher cannot be reached, a suspension fails and may be repeated. */
export const changeAccount = operation({
  route: 'PATCH /admin/accounts/:id',
  scope: 'operator:admin',
  body: AccountChanges,
  answers: { 200: AccountView },
  handler: async ({ database, dispatcher, now, settings }, { params, body, reply }) => {
    const changes = await body();
    const { name, provisioned_slots, renderer, labels, suspended, hide_clips } = changes;
    const account = await updateAccount(database, params.id, {
      ...{ name, provisionedSlots: provisioned_slots, renderer, labels },
      suspendedAt: suspended === undefined ? undefined : suspended ? now() : null,
      limits: changes.limits && limitsOf(changes.limits),
    });
    if (!account) throw notFound();
    if (suspended !== undefined) await dispatcher().suspend(params.id, suspended);
    const isHidden = suspended === false ? false : (hide_clips ?? account.isHidden);
    if (isHidden !== account.isHidden) {
      // The account itself comes last.
      for (const id of [(await findTestAccount(database, params.id)) ?? params.id, params.id]) {
        // First, so that a call that is repeated after an error finds the change undone.
        await scheduleRepublishing(database, id, now());
        await updateViewing(database, id, { isHidden });
      }
    }
    return reply(200, accountView({ ...account, isHidden }, settings.limits));
  },
});

export const words = (): Words => ({
  changeAccount: {
    summary: 'Change an account',
    command: 'accounts update <account>',
    description:
      "Slots, renderer and labels apply to the account's next jobs. A suspended account may read and change nothing: its queued jobs wait until it is resumed, and its running jobs finish. With `hide_clips` its clips answer 410 until then, new ones at once and the others by the cron: thousands in five minutes, from a minute later.",
    body: { examples: only({ provisioned_slots: 8 }) },
    answers: { 200: answer('The account as it is now.', { ...ACCOUNT, provisioned_slots: 8 }) },
  },
});

function limitsOf(changes: NonNullable<AccountChanges['limits']>): AccountLimits {
  const { asset_mib, agent_seconds_a_day, jobs_a_day, jobs_kept, open_uploads, ...rest } = changes;
  const daily = { agentSeconds: agent_seconds_a_day, jobsADay: jobs_a_day };
  const limits = { ...rest, ...daily, jobsKept: jobs_kept, openUploads: open_uploads };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(asset_mib === undefined ? {} : { assetBytes: asset_mib * MIB }) };
}
