import { and, eq, gte, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { ReadAs } from '#domain/lib/types.ts';
import { isKeyOf, isOrTests } from '../account/accounts.ts';
import { StoredUploadShape } from '../demo/uploads.ts';
import { type Database, inPages, isOneOf, placesIn, type RowCursor, RowCursorShape } from '../lib/database.ts';
import { audit } from '../schema/operator.ts';
import { ruleRuns, rules } from '../schema/rules.ts';
import { accounts, agentPlans, apiKeys, assets, clips, jobs, refusedDemos, uploads } from '../schema/schema.ts';
import { budgets, clipViews, usage, webhookSecrets } from '../schema/usage.ts';
import { deleteJobs } from './upkeep.ts';

// Queries that erase an account with everything it owns. Each may be repeated.

/** Starts the erasure: revokes the account's keys and suspends it, with its test account. */
export async function beginErasing(db: Database, id: string, now: number): Promise<void> {
  const { erasingAt, suspendedAt } = accounts;
  const begun = { erasingAt: sql`COALESCE(${erasingAt}, ${now})`, suspendedAt: sql`COALESCE(${suspendedAt}, ${now})` };
  // Removes the brand: the pages of deleted clips remain.
  const viewing = sql`json_remove(${accounts.viewing}, '$.brand')`;
  await db.batch([
    db
      .update(accounts)
      .set({ ...begun, viewing })
      .where(isOrTests(id)),
    db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(isKeyOf(id), isNull(apiKeys.revokedAt))),
  ]);
}

/** `at`: when the erasure started. */
export const ErasingShape = RowCursorShape.extend({ id: z.string() });
export type Erasing = ReadAs<typeof ErasingShape>;

/** Reads accounts whose erasure started by a time, oldest first, after a given one. */
export async function selectErasing(
  db: Database,
  begunBy: number,
  after: RowCursor | undefined,
  limit: number,
): Promise<Erasing[]> {
  const { id, erasingAt } = accounts;
  const places = placesIn(accounts, erasingAt);
  const query = db
    .select({ id, ...places })
    .from(accounts)
    .$dynamic();
  return inPages(query, places, { where: lte(erasingAt, begunBy), after, limit });
}

/** A job of an account, and its clip's id. */
export const JobToEraseShape = z.object({
  id: z.string(),
  clipId: z.string(),
  mode: z.string(),
  createdAt: z.number(),
});
export type JobToErase = ReadAs<typeof JobToEraseShape>;

export type JobOfAccount = Pick<JobToErase, 'id' | 'clipId'> & { readonly accountId: string };

/**
 * Reads jobs of an account, inspections included, after a given one, in an order that changes of a job do not affect.
 */
export async function selectJobsToErase(
  db: Database,
  accountId: string,
  after: JobToErase | undefined,
  limit: number,
): Promise<JobToErase[]> {
  const { id, clipId, mode, createdAt } = jobs;
  const query = db.select({ id, clipId, mode, createdAt }).from(jobs).$dynamic();
  return inPages(query, { mode, createdAt, id }, { where: eq(jobs.accountId, accountId), after, limit });
}

/** How far the clocks of an object and of the request that called it may be apart, with a retried call. */
const CLOCKS_MS = 60 * 60_000;

/** Deletes the rows of jobs, clips and usage, and from the audit log why clips were taken down. */
export async function removeJobs(db: Database, erased: readonly Pick<JobToErase, 'id' | 'clipId'>[]): Promise<void> {
  const jobIds = erased.map(({ id }) => id);
  const clipIds = erased.map(({ clipId }) => clipId);
  // Null, and no row is read, if none was taken down.
  const since = sql`(SELECT MIN(removal ->> 'at') - ${CLOCKS_MS} FROM ${clips} WHERE ${isOneOf(clips.id, clipIds)})`;
  const isAbout = sql`${audit.target} ->> 'id' IN (SELECT value FROM json_each(${JSON.stringify(clipIds)}))`;
  await db.batch([
    db
      .update(audit)
      .set({ changes: null })
      .where(and(gte(audit.createdAt, since), isAbout)),
    db.delete(clips).where(isOneOf(clips.id, clipIds)),
    db.delete(usage).where(isOneOf(usage.jobId, jobIds)),
    ...deleteJobs(db, isOneOf(jobs.id, jobIds)),
  ]);
}

/** Deletes the views of clips on days counted from the epoch. */
export async function removeViews(db: Database, clipIds: readonly string[], days: readonly number[]): Promise<void> {
  await db.run(sql`
    DELETE FROM ${clipViews} WHERE day IN (SELECT value FROM json_each(${JSON.stringify(days)}))
      AND ${isOneOf(clipViews.clipId, clipIds)}`);
}

export const UploadToEraseShape = StoredUploadShape.extend({ createdAt: z.number() });
type UploadToErase = ReadAs<typeof UploadToEraseShape>;

/** Reads uploads of an account, oldest first, after a given one. */
export async function selectUploadsToErase(
  db: Database,
  account: string,
  after: UploadToErase | undefined,
  limit: number,
): Promise<UploadToErase[]> {
  const { id, accountId, multipartId, completedAt, createdAt } = uploads;
  const query = db.select({ id, accountId, multipartId, completedAt, createdAt }).from(uploads).$dynamic();
  return inPages(query, { createdAt, id }, { where: eq(accountId, account), after, limit });
}

/** Deletes everything of an account except its row, jobs and uploads. Its seconds by day stay: invoices need them. */
export async function removeBelongings(db: Database, accountId: string): Promise<void> {
  const keys = db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.accountId, accountId));
  await db.batch([
    db.delete(assets).where(eq(assets.accountId, accountId)),
    // A job that is not erased yet needs this row to find its message in Discord.
    db.delete(clips).where(and(eq(clips.accountId, accountId), isNull(clips.message))),
    db.delete(rules).where(eq(rules.accountId, accountId)),
    db.delete(ruleRuns).where(eq(ruleRuns.accountId, accountId)),
    db.delete(refusedDemos).where(eq(refusedDemos.accountId, accountId)),
    db.delete(agentPlans).where(eq(agentPlans.accountId, accountId)),
    db.delete(budgets).where(sql`owner = ${accountId} OR owner IN (${keys})`),
    db.delete(webhookSecrets).where(eq(webhookSecrets.accountId, accountId)),
    db.delete(apiKeys).where(eq(apiKeys.accountId, accountId)),
  ]);
}

/**
 * Deletes the account, and from the audit log what operators sent about it, such as names and why clips were taken
 * down. Reads the audit log since the account was created.
 */
export async function removeAccount(db: Database, id: string): Promise<void> {
  const createdAt = db.select({ createdAt: accounts.createdAt }).from(accounts).where(eq(accounts.id, id));
  const isAbout = sql`${id} IN (${audit.target}->>'id', ${audit.target}->>'account_id')`;
  await db.batch([
    db
      .update(audit)
      .set({ changes: null })
      .where(and(gte(audit.createdAt, sql`(${createdAt})`), isNotNull(audit.changes), isAbout)),
    db.delete(clips).where(eq(clips.accountId, id)),
    db.delete(accounts).where(eq(accounts.id, id)),
  ]);
}
