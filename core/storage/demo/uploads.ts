import { and, eq, gt, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import * as z from 'zod';
import { demoFileKey } from '#domain/job/storage-keys.ts';
import type { ReadAs } from '#domain/lib/types.ts';
import type { IngestLimits } from '#domain/operate/limits.ts';
import { giveBack, take } from '../lib/budgets.ts';
import { type Database, inPages, isOneOf, placesIn, type RowCursor, RowCursorShape } from '../lib/database.ts';
import { beginRun, type NewRun } from '../rule/rule-runs.ts';
import { refusedDemos, type UploadRow, uploads } from '../schema/schema.ts';

export interface UploadLimits {
  /** How many may be incomplete. */
  readonly open: number;
  /** Bytes of all uploads, including those still to come. */
  readonly bytes: number;
  /** What the key may send on a day (UTC); null for no limit. */
  readonly aDay: IngestLimits | null;
}

export type NewUpload = Omit<UploadRow, keyof typeof NO_PARTS> & Partial<Pick<UploadRow, 'demoUrl'>>;

/** The columns of an upload whose file is still to come. */
export const NO_PARTS = { parts: {}, partWrites: {}, completedAt: null, demoUrl: null } as const;

/** An upload whose bytes come in parts, with a SHA-256 that was announced. */
export type PartedUpload = UploadRow & { readonly multipartId: string; readonly sha256: string };

export function isInParts(row: UploadRow): row is PartedUpload {
  return row.multipartId !== null && row.sha256 !== null;
}

const MIB = 1024 * 1024;
const ANY = Number.MAX_SAFE_INTEGER;

/**
 * Adds an upload. Returns false if a limit is reached or the account has this file already. Every upload counts as 1 MiB
 * at least, so the number of uploads is limited, too. It counts until it is removed.
 */
export async function insertUpload(db: Database, row: NewUpload, most: UploadLimits): Promise<boolean> {
  const { id, accountId, name, bytes, sha256, multipartId, createdAt, expiresAt, source, tag, keyId } = row;
  const facts = row.facts && JSON.stringify(row.facts);
  const ofAccount = { owner: accountId, at: createdAt };
  const { demos = ANY, mib = ANY } = most.aDay ?? {};
  const uses = [
    { ...ofAccount, name: 'demo_mib', amount: Math.max(bytes, MIB), most: most.bytes },
    { ...ofAccount, name: 'open_uploads', amount: 1, most: most.open },
  ] as const;
  const ofKey = (owner: string) =>
    [
      { owner, name: 'demos', at: createdAt, amount: 1, most: demos },
      { owner, name: 'mib', at: createdAt, amount: bytes, most: mib * MIB },
    ] as const;
  // In the order of the columns.
  const made = sql`SELECT ${id}, ${accountId}, ${name}, ${bytes}, ${sha256}, ${multipartId}, '{}', '{}', ${createdAt},
    NULL, ${expiresAt}, ${source}, ${tag}, ${facts}, ${keyId}, ${row.demoUrl ?? null}`;
  return take(db, source !== 'upload' && keyId !== null ? [...uses, ...ofKey(keyId)] : uses, (hasRoom) => {
    const insert = db.insert(uploads).select(sql`${made} WHERE ${hasRoom}`);
    return insert.onConflictDoNothing().returning({ id: uploads.id });
  });
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

/** Counts how often a part is stored. Returns false, and changes nothing, if it would be more than `most` times. */
export async function countPart(db: Database, id: string, part: number, by: 1 | -1, most: number): Promise<boolean> {
  const path = `$."${part}"`;
  const count = sql`COALESCE(${uploads.partWrites} ->> ${path}, 0) + ${by}`;
  const counted = db.update(uploads).set({ partWrites: sql`json_set(${uploads.partWrites}, ${path}, ${count})` });
  return (
    (await counted.where(and(eq(uploads.id, id), sql`${count} <= ${most}`)).returning({ id: uploads.id })).length > 0
  );
}

/** Lists all parts as missing again. */
export async function forgetParts(db: Database, id: string): Promise<void> {
  await db.update(uploads).set({ parts: {} }).where(eq(uploads.id, id));
}

/**
 * Completes an upload, with the SHA-256 of its file, or sets the times of a complete one that comes again, and begins
 * runs of rules for it. Adds the facts that it does not have; a complete upload does not expire earlier than before.
 * Returns null if it is deleted or has expired (the cron may be removing it), or if the account has another upload of
 * the same bytes.
 */
export async function keepUpload(
  db: Database,
  upload: Pick<UploadRow, 'id' | 'accountId' | 'keyId' | 'name'>,
  now: number,
  {
    facts,
    ...set
  }: Pick<UploadRow, 'completedAt' | 'expiresAt'> & { readonly sha256: string } & {
    readonly [F in 'facts' | 'demoUrl']?: UploadRow[F] | undefined;
  },
  runs: readonly NewRun[] = [],
): Promise<UploadRow | null> {
  const { id } = upload;
  const other = sql`SELECT 1 FROM ${uploads} AS other WHERE other.account_id = ${uploads.accountId}
    AND other.sha256 = ${set.sha256 ?? null} AND other.bytes = ${uploads.bytes} AND other.id <> ${id}`;
  const live = and(eq(uploads.id, id), gt(uploads.expiresAt, now), sql`NOT EXISTS (${other})`);
  const expiresAt = sql`IIF(completed_at IS NULL, ${set.expiresAt}, MAX(expires_at, ${set.expiresAt}))`;
  const added = facts && { facts: sql`json_patch(${JSON.stringify(facts)}, COALESCE(${uploads.facts}, '{}'))` };
  const keep = db
    .update(uploads)
    .set({ ...set, ...added, expiresAt })
    .where(live)
    .returning();
  const where = and(live, isNull(uploads.completedAt));
  const [, [kept]] = await db.batch([
    giveBack(db, { table: uploads, where, of: [['open_uploads', sql`1`]] }),
    keep,
    // It has come after all.
    db.delete(refusedDemos).where(and(eq(refusedDemos.keyId, upload.keyId ?? ''), eq(refusedDemos.name, upload.name))),
    ...runs.map((run) => beginRun(db, upload, run, now)),
  ]);
  return kept ?? null;
}

/** Keeps a complete upload until a time, or longer: a job needs it. */
export async function holdUpload(
  db: Database,
  { accountId, id }: Pick<UploadRow, 'accountId' | 'id'>,
  now: number,
  until: number,
): Promise<void> {
  const isShort = and(isNotNull(uploads.completedAt), gt(uploads.expiresAt, now), lt(uploads.expiresAt, until));
  await db
    .update(uploads)
    .set({ expiresAt: until })
    .where(and(ownedBy(accountId, id), isShort));
}

/** Expires an upload at once, unless it is complete and live. Returns false then. It cannot be completed any more. */
export async function expireUpload(db: Database, id: string, now: number): Promise<boolean> {
  const isOver = or(isNull(uploads.completedAt), lte(uploads.expiresAt, now));
  const over = db.update(uploads).set({ expiresAt: sql`MIN(expires_at, ${now})` });
  return (await over.where(and(eq(uploads.id, id), isOver)).returning({ id: uploads.id })).length > 0;
}

export async function removeUploads(db: Database, ids: readonly string[]): Promise<void> {
  const where = isOneOf(uploads.id, ids);
  const isIngested = and(where, ne(uploads.source, 'upload'), isNotNull(uploads.keyId));
  const ofAccount = [
    ['demo_mib', sql`MAX(bytes, ${MIB})`],
    ['open_uploads', sql`completed_at IS NULL`],
  ] as const;
  const ofKey = [
    ['demos', sql`1`],
    ['mib', sql`bytes`],
  ] as const;
  await db.batch([
    giveBack(db, { table: uploads, where, of: ofAccount }),
    giveBack(db, { table: uploads, where: isIngested, of: ofKey, owner: sql`key_id` }),
    db.delete(uploads).where(where),
  ]);
}

/** Returns those keys of files that belong to an upload. */
export async function selectDemoKeys(db: Database, keys: readonly string[]): Promise<string[]> {
  const ids = keys.map((key) => key.slice(key.lastIndexOf('/') + 1));
  const { id, accountId } = uploads;
  const rows = await db.select({ id, accountId }).from(uploads).where(isOneOf(id, ids));
  return rows.map((row) => demoFileKey(row.accountId, row.id));
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
  const { id, accountId, multipartId, completedAt, expiresAt } = uploads;
  const places = placesIn(uploads, expiresAt);
  const query = db
    .select({ id, accountId, multipartId, completedAt, ...places })
    .from(uploads)
    .$dynamic();
  return inPages(query, places, { where: lte(expiresAt, now), after, limit });
}

function ownedBy(accountId: string, id: string) {
  return and(eq(uploads.id, id), eq(uploads.accountId, accountId));
}
