import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Database } from './database.ts';
import { hosts } from './schema.ts';

/** The id of the live host with this token, by the token's SHA-256 in hexadecimal. */
export async function findHostId(db: Database, tokenSha256: string): Promise<string | null> {
  const row = await db
    .select({ id: hosts.id })
    .from(hosts)
    .where(and(eq(hosts.tokenSha256, tokenSha256), isNull(hosts.revokedAt)))
    .get();
  return row?.id ?? null;
}

export async function insertHost(db: Database, row: typeof hosts.$inferInsert): Promise<void> {
  await db.insert(hosts).values(row);
}

export type HostSummary = Pick<typeof hosts.$inferSelect, 'id' | 'name' | 'createdAt' | 'revokedAt'>;

/** All hosts, oldest first. */
export async function selectHosts(db: Database): Promise<HostSummary[]> {
  return db
    .select({ id: hosts.id, name: hosts.name, createdAt: hosts.createdAt, revokedAt: hosts.revokedAt })
    .from(hosts)
    .orderBy(asc(hosts.createdAt), asc(hosts.id));
}

/** Gives a live host another token, and tells its name; null when there is no such host, or it was revoked. */
export async function replaceHostToken(db: Database, id: string, tokenSha256: string): Promise<string | null> {
  const live = and(eq(hosts.id, id), isNull(hosts.revokedAt));
  const [host] = await db.update(hosts).set({ tokenSha256 }).where(live).returning({ name: hosts.name });
  return host?.name ?? null;
}

/** Revokes a host's token; again changes nothing. False when there is no such host. */
export async function revokeHost(db: Database, id: string, now: number): Promise<boolean> {
  await db
    .update(hosts)
    .set({ revokedAt: now })
    .where(and(eq(hosts.id, id), isNull(hosts.revokedAt)));
  return (await db.select({ id: hosts.id }).from(hosts).where(eq(hosts.id, id)).get()) !== undefined;
}
