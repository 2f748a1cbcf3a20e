import { and, asc, eq, gt, gte, lt, lte } from 'drizzle-orm';
import type { Database } from './database.ts';
import { unbilledRuns, usage, usageDays } from './usage-schema.ts';

const DAY = 24 * 60 * 60 * 1000;
/** How long runs are kept: a job is settled within two days, so that no run is recorded a second time after this. */
export const RUN_KEPT_MS = 30 * DAY;

/** Stores the usage of a run. Repeatable. A trigger updates the day's sum. */
export async function insertUsage(db: Database, row: typeof usage.$inferInsert): Promise<void> {
  await db.insert(usage).values(row).onConflictDoNothing();
}

/** Stores host time on a run without a clip. Repeatable. */
export async function insertUnbilled(
  db: Database,
  { endedAt, ...row }: Omit<typeof unbilledRuns.$inferInsert, 'day'> & { readonly endedAt: number },
): Promise<void> {
  const day = Math.floor(endedAt / DAY);
  await db.batch([
    db
      .insert(unbilledRuns)
      .values({ ...row, day })
      .onConflictDoNothing(),
    db.delete(unbilledRuns).where(and(eq(unbilledRuns.accountId, row.accountId), lt(unbilledRuns.day, day - 1))),
  ]);
}

/**
 * Reads the next `limit` runs after the job `after`, in the order of job ids, and deletes those that were rendered
 * before a time. Their sums stay. Returns the id of the last job that was read; undefined at the end of the table. An
 * index on the time would cost a written row for each run.
 */
export async function pruneUsage(
  db: Database,
  renderedBefore: number,
  after: string,
  limit: number,
): Promise<string | undefined> {
  const { jobId, renderedAt } = usage;
  const page = db.select({ jobId }).from(usage).where(gt(jobId, after)).orderBy(asc(jobId)).limit(limit);
  const read = (await page).map((row) => row.jobId);
  const last = read.at(-1) ?? after;
  await db.delete(usage).where(and(gt(jobId, after), lte(jobId, last), lt(renderedAt, renderedBefore)));
  return read.length < limit ? undefined : last;
}

type UsageDay = typeof usageDays.$inferSelect;
/** Seconds rendered at one tier, resolution and frame rate, and maybe by one renderer. */
export type UsageSum = Pick<UsageDay, 'tier' | 'resolution' | 'fps' | 'seconds'> & Partial<Pick<UsageDay, 'renderer'>>;

/**
 * Sums seconds rendered for an account on the days (UTC) from `from` to before `to`, by tier, resolution and frame
 * rate, and by renderer if asked. Both are milliseconds since the epoch. Reads days, not runs.
 */
export async function sumUsage(
  db: Database,
  accountId: string,
  from: number,
  to: number,
  byRenderer: boolean,
): Promise<UsageSum[]> {
  const days = await db
    .select()
    .from(usageDays)
    .where(
      and(
        eq(usageDays.accountId, accountId),
        gte(usageDays.day, Math.floor(from / DAY)),
        lt(usageDays.day, Math.ceil(to / DAY)),
      ),
    );
  const sums = new Map<string, UsageSum>();
  // Summed here: the days are in the order of the index, and another grouping needs a sort.
  for (const { tier, resolution, fps, renderer, seconds } of days) {
    const made = byRenderer ? { renderer } : {};
    const kind = `${tier} ${String(resolution).padStart(5)} ${String(fps).padStart(4)} ${made.renderer}`;
    const sum = sums.get(kind)?.seconds ?? 0;
    sums.set(kind, { tier, resolution, fps, ...made, seconds: sum + seconds });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}
