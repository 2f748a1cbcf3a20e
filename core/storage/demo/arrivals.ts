import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm';
import { DAY_MS } from '#domain/job/metering.ts';
import type { Database } from '../lib/database.ts';
import { type RefusedDemo, refusedDemos, type UploadRow, uploads } from '../schema/schema.ts';

/** Rows of a key within a day. One that sends nothing else must not fill the index. */
const MOST_REFUSED = 50;

/** Days that a refused demo is kept. */
export const REFUSED_DAYS = 7;

/** The most rows that are read. */
const SHOWN = 100;

/** Stores that a demo was refused. The same demo, key and reason is one row. */
export async function keepRefusedDemo(db: Database, row: Omit<RefusedDemo, 'times'>): Promise<void> {
  const { keyId, name, reason, accountId, bytes, status, refusedAt } = row;
  await db.run(sql`
    INSERT INTO ${refusedDemos} (key_id, name, reason, account_id, bytes, status, refused_at, times)
    SELECT ${keyId}, ${name}, ${reason}, ${accountId}, ${bytes}, ${status}, ${refusedAt}, 1
    WHERE (SELECT COUNT(*) FROM ${refusedDemos} WHERE key_id = ${keyId} AND refused_at > ${refusedAt - DAY_MS}) < ${MOST_REFUSED}
    ON CONFLICT DO UPDATE SET bytes = excluded.bytes, status = excluded.status, refused_at = excluded.refused_at,
      times = times + 1`);
}

/** Reads the demos of all accounts or of one that were refused since a time, the latest first. */
export async function selectRefusedDemos(
  db: Database,
  account: string | undefined,
  since: number,
): Promise<RefusedDemo[]> {
  const { accountId, refusedAt } = refusedDemos;
  const where = and(gt(refusedAt, since), account === undefined ? undefined : eq(accountId, account));
  return db.select().from(refusedDemos).where(where).orderBy(desc(refusedAt)).limit(SHOWN);
}

/** Reads the uploads of all accounts or of one whose bytes are still to come, the latest first. */
export async function selectRunningUploads(
  db: Database,
  account: string | undefined,
  now: number,
): Promise<UploadRow[]> {
  const ofAccount = account === undefined ? undefined : sql`+${uploads.accountId} = ${account}`;
  // None is open for longer.
  const isRecent = gt(uploads.createdAt, now - DAY_MS);
  const isRunning = and(isNull(uploads.completedAt), isRecent, gt(uploads.expiresAt, now), ofAccount);
  return db.select().from(uploads).where(isRunning).orderBy(desc(uploads.createdAt)).limit(SHOWN);
}
