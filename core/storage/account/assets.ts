import { and, asc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { LimitValues } from '#domain/operate/limits.ts';
import { giveBack, take } from '../lib/budgets.ts';
import { type Database, isOneOf } from '../lib/database.ts';
import { type AssetRow, assets } from '../schema/schema.ts';

const MIB = 1024 * 1024;

/** What is read in the file of an asset. */
export type AssetFacts = Pick<AssetRow, 'width' | 'height' | 'seconds'>;

/**
 * Adds an asset that is marked as deleted, so that its account does not see it before `showAsset`. If that is never
 * called, the cron removes the asset with its file. Returns false if a limit is reached: one statement checks and
 * writes. A deleted asset counts until its file is deleted.
 */
export async function insertAsset(
  db: Database,
  row: Omit<AssetRow, 'deletedAt' | keyof AssetFacts>,
  most: Pick<LimitValues, 'assets' | 'asset_mib'>,
): Promise<boolean> {
  const { id, accountId, kind, name, contentType, bytes, createdAt } = row;
  const use = { owner: accountId, at: createdAt };
  const uses = [
    { ...use, name: 'assets', amount: 1, most: most.assets },
    { ...use, name: 'asset_mib', amount: bytes, most: most.asset_mib * MIB },
  ] as const;
  // In the order of the columns.
  const made = sql`SELECT ${id}, ${accountId}, ${kind}, ${name}, ${contentType}, NULL, NULL, NULL, ${bytes}, ${createdAt},
    ${createdAt}`;
  const insert = (hasRoom: SQL) => db.insert(assets).select(sql`${made} WHERE ${hasRoom}`);
  return take(db, uses, (hasRoom) => insert(hasRoom).returning({ id: assets.id }));
}

/** Shows an asset whose file is stored, with what was read in it. Returns false if it is gone. */
export async function showAsset(db: Database, id: string, { width, height, seconds }: AssetFacts): Promise<boolean> {
  const shown = db.update(assets).set({ deletedAt: null, width, height, seconds }).where(eq(assets.id, id));
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
  const where = isOneOf(assets.id, ids);
  await db.batch([
    giveBack(db, {
      table: assets,
      where,
      of: [
        ['assets', sql`1`],
        ['asset_mib', sql`bytes`],
      ],
    }),
    db.delete(assets).where(where),
  ]);
}

function ownedBy(accountId: string, ids: readonly string[]) {
  return and(isOneOf(assets.id, ids), eq(assets.accountId, accountId), isNull(assets.deletedAt));
}
