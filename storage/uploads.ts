import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { type UploadRow, uploads } from './schema.ts';

/**
 * False where the account has as many bytes as it may, those still to come among them, or has this file already: asked
 * and written in one statement.
 */
export async function insertUpload(
  db: Database,
  row: Omit<UploadRow, 'parts' | 'completedAt'>,
  mostBytes: number,
): Promise<boolean> {
  const { id, accountId, name, bytes, sha256, multipartId, createdAt, expiresAt } = row;
  const inserted = await db.all(sql`
    INSERT INTO ${uploads} (id, account_id, name, bytes, sha256, multipart_id, created_at, expires_at)
    SELECT ${id}, ${accountId}, ${name}, ${bytes}, ${sha256}, ${multipartId}, ${createdAt}, ${expiresAt}
    WHERE (SELECT COALESCE(SUM(bytes), 0) FROM ${uploads} WHERE account_id = ${accountId}) + ${bytes} <= ${mostBytes}
    ON CONFLICT DO NOTHING RETURNING id`);
  return inserted.length > 0;
}

export async function findUpload(db: Database, accountId: string, id: string): Promise<UploadRow | null> {
  return (await db.select().from(uploads).where(ownedBy(accountId, id)).get()) ?? null;
}

/** The account's upload of this very file, begun or complete. */
export async function findUploadOf(
  db: Database,
  accountId: string,
  { sha256, bytes }: Pick<UploadRow, 'sha256' | 'bytes'>,
): Promise<UploadRow | null> {
  const same = and(eq(uploads.accountId, accountId), eq(uploads.sha256, sha256), eq(uploads.bytes, bytes));
  return (await db.select().from(uploads).where(same).get()) ?? null;
}

/** Notes a part that storage has. Parts may come at the same time. */
export async function notePart(db: Database, id: string, part: number, etag: string): Promise<void> {
  const parts = sql`json_set(${uploads.parts}, ${`$."${part}"`}, ${etag})`;
  await db.update(uploads).set({ parts }).where(eq(uploads.id, id));
}

/** Null where the upload is gone meanwhile. */
export async function keepUpload(
  db: Database,
  id: string,
  { completedAt, expiresAt }: { readonly completedAt: number; readonly expiresAt: number },
): Promise<UploadRow | null> {
  const kept = db.update(uploads).set({ completedAt, expiresAt }).where(eq(uploads.id, id)).returning();
  return (await kept.get()) ?? null;
}

export async function removeUploads(db: Database, ids: readonly string[]): Promise<void> {
  await db.delete(uploads).where(inArray(uploads.id, [...ids]));
}

/** Uploads whose time is up, the longest ago first. */
export async function selectExpiredUploads(db: Database, now: number, limit: number): Promise<UploadRow[]> {
  return db.select().from(uploads).where(lte(uploads.expiresAt, now)).orderBy(asc(uploads.expiresAt)).limit(limit);
}

function ownedBy(accountId: string, id: string) {
  return and(eq(uploads.id, id), eq(uploads.accountId, accountId));
}
