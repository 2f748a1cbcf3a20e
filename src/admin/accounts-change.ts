import type { AccountLimits } from '../../domain/account.ts';
import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import { readShape } from '../../http/read-body.ts';
import { AccountChanges } from '../../protocol/admin.ts';
import { findAccount, updateAccount } from '../../storage/accounts.ts';
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
  const account = await findAccount(database, params.id);
  if (!account) throw notFound();
  const slots = changes.provisioned_slots === undefined ? account.slots : changes.provisioned_slots;
  const renderer = changes.renderer === undefined ? account.renderer : changes.renderer;
  const { name = account.name, labels = account.labels, suspended = account.suspendedAt !== null } = changes;
  const suspendedAt = suspended ? (account.suspendedAt ?? now()) : null;
  const limits = changes.limits ? limitsOf(changes.limits) : account.limits;
  await updateAccount(database, params.id, { name, provisionedSlots: slots, renderer, labels, suspendedAt, limits });
  if (changes.suspended !== undefined) await dispatchers.suspend(params.id, suspended);
  return json(accountView({ ...account, name, slots, renderer, labels, suspendedAt, limits }));
};

function limitsOf(changes: NonNullable<AccountChanges['limits']>): AccountLimits {
  const { asset_mib, jobs_a_day: jobsADay, jobs_kept: jobsKept, open_uploads: openUploads, ...rest } = changes;
  const limits = { ...rest, jobsADay, jobsKept, openUploads };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(asset_mib === undefined ? {} : { assetBytes: asset_mib * MIB }) };
}
