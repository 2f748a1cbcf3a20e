import { and, desc, eq, getTableColumns, gte, lt } from 'drizzle-orm';
import { billedSeconds, DAY_MS } from '#domain/job/metering.ts';
import type { RowKey } from '#protocol/lib/lists.ts';
import { type Database, isBehind } from '../lib/database.ts';
import { accounts } from '../schema/schema.ts';
import { usage, usageDays } from '../schema/usage.ts';

/** Stores the usage of a run. Repeatable. A trigger updates the day's sum. */
export async function insertUsage(db: Database, row: typeof usage.$inferInsert): Promise<void> {
  await db.insert(usage).values(row).onConflictDoNothing();
}

/** Returns the highest run of a job that was billed lately; 0 if there is none. */
export async function findLastRun(db: Database, jobId: string): Promise<number> {
  const last = db.select({ run: usage.run }).from(usage).where(eq(usage.jobId, jobId)).orderBy(desc(usage.run));
  return (await last.limit(1).get())?.run ?? 0;
}

type UsageDay = typeof usageDays.$inferSelect;
/** Seconds rendered at one tier, resolution and frame rate, and maybe by one renderer or on one day. */
export type UsageSum = Pick<UsageDay, 'tier' | 'resolution' | 'fps' | 'seconds'> &
  Partial<Pick<UsageDay, 'renderer' | 'day'>>;

/**
 * Sums seconds rendered for an account on the days (UTC) from `from` to before `to`, by tier, resolution and frame
 * rate, and by what else is asked. Both are milliseconds since the epoch. Reads days, not runs.
 */
export async function sumUsage(
  db: Database,
  accountId: string,
  from: number,
  to: number,
  by: readonly ('renderer' | 'day')[],
): Promise<UsageSum[]> {
  const days = await db
    .select()
    .from(usageDays)
    .where(
      and(
        eq(usageDays.accountId, accountId),
        gte(usageDays.day, Math.floor(from / DAY_MS)),
        lt(usageDays.day, Math.ceil(to / DAY_MS)),
      ),
    );
  const sums = new Map<string, UsageSum>();
  // Summed here: the days are in the order of the index, and another grouping needs a sort.
  for (const { tier, resolution, fps, renderer, seconds, day } of days) {
    const made = { ...(by.includes('renderer') && { renderer }), ...(by.includes('day') && { day }) };
    const kind = `${made.day} ${tier} ${String(resolution).padStart(5)} ${String(fps).padStart(4)} ${made.renderer}`;
    const sum = sums.get(kind)?.seconds ?? 0;
    sums.set(kind, { tier, resolution, fps, ...made, seconds: billedSeconds(sum + billedSeconds(seconds)) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** Which lines to read: days (UTC, counted from the epoch) from `from` to before `to`, after the key of a line. */
interface UsagePage {
  readonly from: number;
  readonly to: number;
  /** Undefined for all accounts. */
  readonly account: string | undefined;
  readonly after: RowKey | undefined;
  readonly limit: number;
}

const { day, accountId, tier, resolution, fps, renderer } = usageDays;
const KEY = [day, accountId, tier, resolution, fps, renderer];

/**
 * Reads the sums of days in the order of their keys: one more than `limit`, if there is one. `name`: the account's;
 * null once it is erased.
 */
export async function selectUsageDays(
  db: Database,
  { from, to, account, after, limit }: UsagePage,
): Promise<(UsageDay & { readonly name: string | null })[]> {
  return db
    .select({ ...getTableColumns(usageDays), name: accounts.name })
    .from(usageDays)
    .leftJoin(accounts, eq(accounts.id, accountId))
    .where(
      and(
        account === undefined ? undefined : eq(accountId, account),
        // SQLite can begin at only one of them.
        after && Number(after[0]) >= from ? isBehind(KEY, after) : gte(day, from),
        lt(day, to),
      ),
    )
    .orderBy(...KEY)
    .limit(limit + 1);
}
