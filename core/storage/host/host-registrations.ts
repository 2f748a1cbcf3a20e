import { and, desc, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from '../lib/database.ts';
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
  after: { readonly createdAt: number; readonly id: string } | undefined,
  limit: number,
): Promise<RegistrationSummary[]> {
  const { createdAt, id } = hostRegistrations;
  return db
    .select({
      id: hostRegistrations.id,
      name: hostRegistrations.name,
      uses: hostRegistrations.uses,
      used: hostRegistrations.used,
      expiresAt: hostRegistrations.expiresAt,
      createdAt: hostRegistrations.createdAt,
      revokedAt: hostRegistrations.revokedAt,
    })
    .from(hostRegistrations)
    .where(after && sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`)
    .orderBy(desc(createdAt), desc(id))
    .limit(limit + 1);
}

/** Revokes a registration. A repeated call changes nothing. Returns false if there is none. */
export async function revokeRegistration(db: Database, id: string, now: number): Promise<boolean> {
  await db
    .update(hostRegistrations)
    .set({ revokedAt: now })
    .where(and(eq(hostRegistrations.id, id), isNull(hostRegistrations.revokedAt)));
  const row = await db
    .select({ id: hostRegistrations.id })
    .from(hostRegistrations)
    .where(eq(hostRegistrations.id, id))
    .get();
  return row !== undefined;
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
