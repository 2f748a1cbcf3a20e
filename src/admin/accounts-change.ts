import type { AccountLimits } from '#domain/account.ts';
import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { readShape } from '#http/read-body.ts';
import { AccountChanges } from '#protocol/admin.ts';
import { updateAccount } from '#storage/accounts.ts';
import type { AdminHandler } from './admin-handler.ts';
import { accountView, MIB } from './views.ts';

/**
 * `PATCH /admin/accounts/:id`: what is changed counts from the account's next job on, within 30 seconds; a suspension
 * also for the jobs that wait. Where a dispatcher does not hear of that, this fails, and may be repeated.
 */
export const changeAccount: AdminHandler<'database' | 'dispatchers' | 'now', 'id'> = async (
  { database, dispatchers, now },
  { request, params },
) => {
  const changes = await readShape(request, AccountChanges);
  const { name, provisioned_slots, renderer, labels, suspended } = changes;
  const account = await updateAccount(database, params.id, {
    ...{ name, provisionedSlots: provisioned_slots, renderer, labels },
    suspendedAt: suspended === undefined ? undefined : suspended ? now() : null,
    limits: changes.limits && limitsOf(changes.limits),
  });
  if (!account) throw notFound();
  if (suspended !== undefined) await dispatchers.suspend(params.id, suspended);
  return json(accountView(account));
};

function limitsOf(changes: NonNullable<AccountChanges['limits']>): AccountLimits {
  const { asset_mib, jobs_a_day: jobsADay, jobs_kept: jobsKept, open_uploads: openUploads, ...rest } = changes;
  const limits = { ...rest, jobsADay, jobsKept, openUploads };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(asset_mib === undefined ? {} : { assetBytes: asset_mib * MIB }) };
}
