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

export type HostSummary = Pick<typeof hosts.$inferSelect, 'id' | 'name' | 'createdAt' | 'revokedAt' | 'push'>;

/** All hosts, oldest first. */
export async function selectHosts(db: Database): Promise<HostSummary[]> {
  return db
    .select({
      id: hosts.id,
      name: hosts.name,
      createdAt: hosts.createdAt,
      revokedAt: hosts.revokedAt,
      push: hosts.push,
    })
    .from(hosts)
    .orderBy(asc(hosts.createdAt), asc(hosts.id));
}

/** What there is to say of a host whose token changes. */
export type NamedHost = Pick<typeof hosts.$inferSelect, 'name' | 'push'>;

/** Gives a live host another token, and tells who it is; null when there is no such host, or it was revoked. */
export async function replaceHostToken(db: Database, id: string, tokenSha256: string): Promise<NamedHost | null> {
  const live = and(eq(hosts.id, id), isNull(hosts.revokedAt));
  const named = { name: hosts.name, push: hosts.push };
  const [host] = await db.update(hosts).set({ tokenSha256 }).where(live).returning(named);
  return host ?? null;
}

/** Revokes a host's token, and tells who it is; again changes nothing. Null when there is no such host. */
export async function revokeHost(db: Database, id: string, now: number): Promise<NamedHost | null> {
  await db
    .update(hosts)
    .set({ revokedAt: now })
    .where(and(eq(hosts.id, id), isNull(hosts.revokedAt)));
  const named = { name: hosts.name, push: hosts.push };
  return (await db.select(named).from(hosts).where(eq(hosts.id, id)).get()) ?? null;
}
