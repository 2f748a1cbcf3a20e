import { and, eq, getTableColumns, gt, isNull, lt, sql } from 'drizzle-orm';
import type { ListCursor } from '#protocol/lib/lists.ts';
import { type Database, inPages, revokeRow } from '../lib/database.ts';
import { hostRegistrations } from '../schema/operator.ts';

export type RegistrationRow = typeof hostRegistrations.$inferSelect;
export type RegistrationSummary = Omit<RegistrationRow, 'tokenSha256'>;

export async function insertRegistration(db: Database, row: typeof hostRegistrations.$inferInsert): Promise<void> {
  await db.insert(hostRegistrations).values(row);
}

/** Returns the id of a registration token, also of an expired one, by its SHA-256 in hexadecimal. */
export async function findRegistrationId(db: Database, tokenSha256: string): Promise<string | null> {
  const row = await db
    .select({ id: hostRegistrations.id })
    .from(hostRegistrations)
    .where(eq(hostRegistrations.tokenSha256, tokenSha256))
    .get();
  return row?.id ?? null;
}

/** Reads registrations after a given one, newest first: one more than `limit`, if there is one. */
export async function selectRegistrations(
  db: Database,
  after: ListCursor | undefined,
  limit: number,
): Promise<RegistrationSummary[]> {
  const { tokenSha256: _, ...columns } = getTableColumns(hostRegistrations);
  const { createdAt, id } = columns;
  const query = db.select(columns).from(hostRegistrations).$dynamic();
  return inPages(query, { createdAt, id }, { after, limit: limit + 1, isDescending: true });
}

/** Revokes a registration. A repeated call changes nothing. Returns false if there is none. */
export function revokeRegistration(db: Database, id: string, now: number): Promise<boolean> {
  return revokeRow(db, hostRegistrations, id, now);
}

/** Takes one of its uses in one statement, so that concurrent calls never exceed their number. */
export async function takeUse(db: Database, id: string, now: number): Promise<boolean> {
  const taken = await db
    .update(hostRegistrations)
    .set({ used: sql`${hostRegistrations.used} + 1` })
    .where(
      and(
        eq(hostRegistrations.id, id),
        isNull(hostRegistrations.revokedAt),
        gt(hostRegistrations.expiresAt, now),
        lt(hostRegistrations.used, hostRegistrations.uses),
      ),
    )
    .returning({ id: hostRegistrations.id });
  return taken.length > 0;
}
