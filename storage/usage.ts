import { and, eq, gte, lt, sum } from 'drizzle-orm';
import type { Database } from './database.ts';
import { usage } from './schema.ts';

/** Records what a run rendered; recording it again changes nothing. */
export async function insertUsage(db: Database, row: typeof usage.$inferInsert): Promise<void> {
  await db.insert(usage).values(row).onConflictDoNothing();
}

/** Seconds rendered for an account from `from` up to, not including, `to`, by tier, resolution and frame rate. */
export async function sumUsage(
  db: Database,
  accountId: string,
  from: number,
  to: number,
): Promise<Pick<typeof usage.$inferSelect, 'tier' | 'resolution' | 'fps' | 'seconds'>[]> {
  return db
    .select({
      tier: usage.tier,
      resolution: usage.resolution,
      fps: usage.fps,
      seconds: sum(usage.seconds).mapWith(Number),
    })
    .from(usage)
    .where(and(eq(usage.accountId, accountId), gte(usage.renderedAt, from), lt(usage.renderedAt, to)))
    .groupBy(usage.tier, usage.resolution, usage.fps)
    .orderBy(usage.tier, usage.resolution, usage.fps);
}
