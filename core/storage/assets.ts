import { and, asc, eq, isNull, lt, sql } from 'drizzle-orm';
import type { LimitValues } from '#domain/limits.ts';
import type { Database } from './database.ts';
import { isOneOf } from './rows.ts';
import { type AssetRow, assets } from './schema.ts';

const MIB = 1024 * 1024;

/**
 * Adds an asset that is marked as deleted, so that its account does not see it before `showAsset`. If that is never
 * called, the cron removes the asset with its file. Returns false if a limit is reached: one statement checks and
 * writes. A deleted asset counts until its file is deleted.
 */
export async function insertAsset(
  db: Database,
  row: Omit<AssetRow, 'deletedAt'>,
  most: Pick<LimitValues, 'assets' | 'asset_mib'>,
): Promise<boolean> {
  const { id, accountId, kind, name, contentType, width, height, seconds, bytes, createdAt } = row;
  const stored = sql`SELECT COUNT(*) AS n, COALESCE(SUM(bytes), 0) AS total FROM ${assets}
    WHERE account_id = ${accountId}`;
  const inserted = await db.all(sql`
    INSERT INTO ${assets} (id, account_id, kind, name, content_type, width, height, seconds, bytes, created_at,
      deleted_at)
    SELECT ${id}, ${accountId}, ${kind}, ${name}, ${contentType}, ${width}, ${height}, ${seconds}, ${bytes},
      ${createdAt}, ${createdAt} FROM (${stored}) WHERE n < ${most.assets} AND total + ${bytes} <= ${most.asset_mib * MIB} RETURNING id`);
  return inserted.length > 0;
}

/** Shows an asset whose file is stored. Returns false if it is gone. */
export async function showAsset(db: Database, id: string): Promise<boolean> {
  const shown = db.update(assets).set({ deletedAt: null }).where(eq(assets.id, id));
  return (await shown.returning({ id: assets.id })).length > 0;
}

/** Returns those of the account's assets that have one of these ids and are not deleted. */
export function findAssets(db: Database, accountId: string, ids: readonly string[]): Promise<AssetRow[]> {
  return db.select().from(assets).where(ownedBy(accountId, ids)).all();
}

/** Hides an asset from its account. Returns false if the account has no such asset. */
export async function markAssetDeleted(db: Database, accountId: string, id: string, now: number): Promise<boolean> {
  const changed = await db
    .update(assets)
    .set({ deletedAt: now })
    .where(ownedBy(accountId, [id]))
    .returning({ id: assets.id });
  return changed.length > 0;
}

/** Reads assets that were deleted before a time, oldest first. */
export async function selectDeletedAssets(
  db: Database,
  deletedBefore: number,
  limit: number,
): Promise<Pick<AssetRow, 'id' | 'accountId'>[]> {
  return db
    .select({ id: assets.id, accountId: assets.accountId })
    .from(assets)
    .where(lt(assets.deletedAt, deletedBefore))
    .orderBy(asc(assets.deletedAt))
    .limit(limit);
}

/** Deletes the rows of assets. */
export async function removeAssets(db: Database, ids: readonly string[]): Promise<void> {
  await db.delete(assets).where(isOneOf(assets.id, ids));
}

function ownedBy(accountId: string, ids: readonly string[]) {
  return and(isOneOf(assets.id, ids), eq(assets.accountId, accountId), isNull(assets.deletedAt));
}
