import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm';
import { DAY_MS } from '#domain/job/metering.ts';
import type { Database } from '../lib/database.ts';
import { type RefusedDemo, refusedDemos, type UploadRow, uploads } from '../schema/schema.ts';

/** The most rows of a key that are new within 24 hours. */
const MOST_REFUSED = 50;

/** Days that a refused demo is kept. */
export const REFUSED_DAYS = 7;

/** The most rows that are read. */
const SHOWN = 100;

/** Stores a refusal. Refusals of one key with the same name and status share a row, with the latest reason. */
export async function storeRefusal(db: Database, row: Omit<RefusedDemo, 'times'>): Promise<void> {
  const { keyId, name, status, reason, accountId, bytes, refusedAt } = row;
  const since = refusedAt - DAY_MS;
  await db.run(sql`
    INSERT INTO ${refusedDemos} (key_id, name, status, reason, account_id, bytes, refused_at, times)
    SELECT ${keyId}, ${name}, ${status}, ${reason}, ${accountId}, ${bytes}, ${refusedAt}, 1
    WHERE EXISTS (SELECT 1 FROM ${refusedDemos} WHERE key_id = ${keyId} AND name = ${name} AND status = ${status})
      OR (SELECT COUNT(*) FROM ${refusedDemos} WHERE key_id = ${keyId} AND refused_at > ${since}) < ${MOST_REFUSED}
    ON CONFLICT DO UPDATE SET reason = excluded.reason, bytes = excluded.bytes, refused_at = excluded.refused_at,
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
export async function selectArriving(db: Database, account: string | undefined, now: number): Promise<UploadRow[]> {
  const ofAccount = account === undefined ? undefined : sql`+${uploads.accountId} = ${account}`;
  // An upload is open for a day at most.
  const isRecent = gt(uploads.createdAt, now - DAY_MS);
  const isOpen = and(isNull(uploads.completedAt), isRecent, gt(uploads.expiresAt, now), ofAccount);
  return db.select().from(uploads).where(isOpen).orderBy(desc(uploads.createdAt)).limit(SHOWN);
}
