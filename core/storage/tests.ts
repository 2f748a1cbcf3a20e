import { and, asc, lt, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { ReadAs } from '#domain/shape.ts';
import type { Database } from './database.ts';
import { ruleRuns } from './rules-schema.ts';
import { accounts, assets, jobs, uploads } from './schema.ts';

/** Queries that delete what test keys have made. */

export const OldTestShape = z.object({
  id: z.string(),
  clipId: z.string(),
  accountId: z.string(),
  createdAt: z.number(),
});
type OldTest = ReadAs<typeof OldTestShape>;

/** Reads jobs of test keys that were made before a time, oldest first, after a given one. */
export async function selectOldTests(
  db: Database,
  madeBefore: number,
  after: OldTest | undefined,
  limit: number,
): Promise<OldTest[]> {
  const { id, clipId, accountId, createdAt, isTest } = jobs;
  const behind = after && sql`(${createdAt}, ${id}) > (${after.createdAt}, ${after.id})`;
  return (
    db
      .select({ id, clipId, accountId, createdAt })
      .from(jobs)
      // A literal: SQLite does not choose a partial index by a bound value.
      .where(and(sql`${isTest} = 1`, lt(createdAt, madeBefore), behind))
      .orderBy(asc(createdAt), asc(id))
      .limit(limit)
  );
}

/**
 * Expires uploads and assets that test keys made before a time, so that the next run of the cron removes them, and
 * deletes runs of rules.
 */
export async function endTests(db: Database, madeBefore: number): Promise<void> {
  const isOld = sql`created_at < ${madeBefore}
    AND account_id IN (SELECT id FROM ${accounts} WHERE test_of IS NOT NULL)`;
  await db.run(sql`UPDATE ${uploads} SET expires_at = created_at WHERE ${isOld} AND expires_at > created_at`);
  await db.run(sql`UPDATE ${assets} SET deleted_at = created_at WHERE ${isOld} AND deleted_at IS NULL`);
  await db.run(sql`DELETE FROM ${ruleRuns} WHERE ${isOld}`);
}
