import { and, eq, gt, lte, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { ReadAs } from '#domain/shape.ts';
import type { Database } from './database.ts';
import { isOneOf, pagedBy, type RowCursor, RowCursorShape } from './rows.ts';
import { type UploadRow, uploads } from './schema.ts';
import { accountSums } from './usage-schema.ts';

/** The limits of an account's uploads; expired uploads do not count. */
export interface UploadLimits {
  /** How many may be incomplete. */
  readonly open: number;
  /** Bytes of all uploads, including those still to come. */
  readonly bytes: number;
}

/** Every upload counts as at least this many bytes, so the number of uploads is limited, too. */
const LEAST_BYTES = 1024 * 1024;

/**
 * Adds an upload. Returns false if a limit is reached or the account has this file already: one statement checks and
 * writes.
 */
export async function insertUpload(
  db: Database,
  row: Omit<UploadRow, 'parts' | 'completedAt'>,
  most: UploadLimits,
): Promise<boolean> {
  const { id, accountId, name, bytes, sha256, multipartId, createdAt, expiresAt, source, tag, keyId } = row;
  const facts = row.facts && JSON.stringify(row.facts);
  const expired = sql`SELECT COALESCE(SUM(MAX(bytes, ${LEAST_BYTES})), 0) FROM ${uploads}
    WHERE account_id = ${accountId} AND expires_at <= ${createdAt}`;
  const inserted = await db.all(sql`
    INSERT INTO ${uploads} (id, account_id, name, bytes, sha256, multipart_id, created_at, expires_at, source, tag, facts,
      key_id)
    SELECT ${id}, ${accountId}, ${name}, ${bytes}, ${sha256}, ${multipartId}, ${createdAt}, ${expiresAt}, ${source}, ${tag},
      ${facts}, ${keyId}
    WHERE COALESCE((SELECT upload_bytes FROM ${accountSums} WHERE account_id = ${accountId}), 0) - (${expired})
        + ${Math.max(bytes, LEAST_BYTES)} <= ${most.bytes}
      AND (${openOf(accountId, createdAt)}) < ${most.open}
    ON CONFLICT DO NOTHING RETURNING id`);
  return inserted.length > 0;
}

/** Counts uploads of an account that are not complete and have not expired. */
export async function countOpenUploads(db: Database, accountId: string, now: number): Promise<number> {
  return (await db.get<{ n: number }>(openOf(accountId, now)))?.n ?? 0;
}

function openOf(accountId: string, now: number) {
  return sql`SELECT COUNT(*) AS n FROM ${uploads} INDEXED BY uploads_open
    WHERE account_id = ${accountId} AND completed_at IS NULL AND expires_at > ${now}`;
}

export async function findUpload(db: Database, accountId: string, id: string): Promise<UploadRow | null> {
  return (await db.select().from(uploads).where(ownedBy(accountId, id)).get()) ?? null;
}

/** Returns the account's upload of the same file, complete or not. */
export async function findUploadOf(
  db: Database,
  accountId: string,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
): Promise<UploadRow | null> {
  const same = and(eq(uploads.accountId, accountId), eq(uploads.sha256, sha256), eq(uploads.bytes, bytes));
  return (await db.select().from(uploads).where(same).get()) ?? null;
}

/** Stores that a part exists. Calls may be concurrent. */
export async function notePart(db: Database, id: string, part: number, etag: string): Promise<void> {
  const parts = sql`json_set(${uploads.parts}, ${`$."${part}"`}, ${etag})`;
  await db.update(uploads).set({ parts }).where(eq(uploads.id, id));
}

/** Marks an upload as complete. Returns null if it is deleted or has expired: the cron may be removing it. */
export async function keepUpload(
  db: Database,
  id: string,
  now: number,
  { completedAt, expiresAt }: { readonly completedAt: number; readonly expiresAt: number },
): Promise<UploadRow | null> {
  const live = and(eq(uploads.id, id), gt(uploads.expiresAt, now));
  const kept = db.update(uploads).set({ completedAt, expiresAt }).where(live).returning();
  return (await kept.get()) ?? null;
}

export async function removeUploads(db: Database, ids: readonly string[]): Promise<void> {
  await db.delete(uploads).where(isOneOf(uploads.id, ids));
}

/** The columns that are needed to remove an upload. */
export const StoredUploadShape = z.object({
  id: z.string(),
  accountId: z.string(),
  multipartId: z.string().nullable(),
  completedAt: z.number().nullable(),
});
export type StoredUpload = ReadAs<typeof StoredUploadShape>;

export const ExpiredUploadShape = StoredUploadShape.extend(RowCursorShape.shape);
export type ExpiredUpload = ReadAs<typeof ExpiredUploadShape>;

/** Reads expired uploads, oldest first, after a given one. */
export async function selectExpiredUploads(
  db: Database,
  now: number,
  after: RowCursor | undefined,
  limit: number,
): Promise<ExpiredUpload[]> {
  const place = pagedBy(uploads, uploads.expiresAt);
  const expired = and(lte(uploads.expiresAt, now), place.behind(after));
  const { id, accountId, multipartId, completedAt } = uploads;
  const page = db
    .select({ id, accountId, multipartId, completedAt, ...place.columns })
    .from(uploads)
    .where(expired);
  return page.orderBy(...place.order).limit(limit);
}

function ownedBy(accountId: string, id: string) {
  return and(eq(uploads.id, id), eq(uploads.accountId, accountId));
}
