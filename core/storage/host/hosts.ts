import { and, desc, eq, gte, isNull, sql } from 'drizzle-orm';
import type { HostPolicy } from '#domain/host/host-state.ts';
import type { ListCursor } from '#protocol/lib/lists.ts';
import { type Database, inPages, isOneOf } from '../lib/database.ts';
import { hostFailures, hosts } from '../schema/schema.ts';

export type HostRow = typeof hosts.$inferSelect;

/** The host of a request, with the operator's policy and its last reported capabilities. */
export interface HostCaller {
  readonly id: string;
  readonly name: string;
  readonly policy: HostPolicy;
  /** The stored values, and their time. Code that writes another value updates it here. */
  capabilities: string | null;
  seenAt: number | null;
}

/** Returns the live host of a token, by the token's SHA-256 in hexadecimal. */
export async function findHost(db: Database, tokenSha256: string): Promise<HostCaller | null> {
  const row = await db
    .select({
      id: hosts.id,
      name: hosts.name,
      labels: hosts.labels,
      hold: hosts.hold,
      holdUntil: hosts.holdUntil,
      revision: hosts.revision,
      capabilities: hosts.capabilities,
      seenAt: hosts.seenAt,
    })
    .from(hosts)
    .where(and(eq(hosts.tokenSha256, tokenSha256), isNull(hosts.revokedAt)))
    .get();
  if (!row) return null;
  const { id, name, capabilities, seenAt } = row;
  return { id, name, policy: policyOf(row), capabilities, seenAt };
}

export function policyOf({
  labels,
  hold,
  holdUntil,
  revision,
  unfitBuild,
}: HostPolicy & { readonly unfitBuild?: string | null }): HostPolicy {
  return { labels, hold, holdUntil, revision, ...(unfitBuild ? { isUnfit: true } : {}) };
}

export async function insertHost(db: Database, row: typeof hosts.$inferInsert): Promise<void> {
  await db.insert(hosts).values(row);
}

/** Reads hosts after a given one, oldest first: one more than `limit`, if there is one. */
export async function selectHosts(db: Database, after: ListCursor | undefined, limit: number): Promise<HostRow[]> {
  const { createdAt, id } = hosts;
  return inPages(db.select().from(hosts).$dynamic(), { createdAt, id }, { after, limit: limit + 1 });
}

export type HostChanges = Partial<
  Pick<HostRow, 'name' | 'labels' | 'hold' | 'holdUntil' | 'note' | 'unfitBuild' | 'unfitDetail'>
>;

/** Changes a live host and returns it; null if there is none, or it was revoked. */
export async function updateHost(db: Database, id: string, changes: HostChanges): Promise<HostRow | null> {
  const live = and(eq(hosts.id, id), isNull(hosts.revokedAt));
  const revision = sql`${hosts.revision} + 1`;
  const [host] = await db
    .update(hosts)
    .set({ ...changes, revision })
    .where(live)
    .returning();
  return host ?? null;
}

/** Stores a host's capabilities, unless another isolate has just done so. */
export async function noteHostSeen(
  db: Database,
  id: string,
  { capabilities, now, staleBefore }: { capabilities: string; now: number; staleBefore: number },
): Promise<void> {
  await db
    .update(hosts)
    .set({ capabilities, seenAt: now })
    .where(
      and(
        eq(hosts.id, id),
        sql`(${hosts.capabilities} IS NOT ${capabilities} OR ${hosts.seenAt} IS NULL OR ${hosts.seenAt} <= ${staleBefore})`,
      ),
    );
}

/** Returns the build of the game that a host's recorder does not fit. */
export async function findUnfitBuild(db: Database, id: string): Promise<string | null> {
  const row = await db.select({ unfitBuild: hosts.unfitBuild }).from(hosts).where(eq(hosts.id, id)).get();
  return row?.unfitBuild ?? null;
}

/** Replaces the token of a live host and returns the host; null if there is none, or it was revoked. */
export async function replaceHostToken(db: Database, id: string, tokenSha256: string): Promise<HostRow | null> {
  const live = and(eq(hosts.id, id), isNull(hosts.revokedAt));
  const [host] = await db.update(hosts).set({ tokenSha256 }).where(live).returning();
  return host ?? null;
}

/** Revokes a host's token and returns the host. A repeated call changes nothing. Null if there is no such host. */
export async function revokeHost(db: Database, id: string, now: number): Promise<HostRow | null> {
  await db
    .update(hosts)
    .set({ revokedAt: now })
    .where(and(eq(hosts.id, id), isNull(hosts.revokedAt)));
  return findHostById(db, id);
}

/** Rows of one code and host. A host that fails all the time must not fill the index. */
const MOST_FAILURES = 500;

/** Stores a failed attempt. Repeatable: `failedAt` and the job identify it. */
export async function insertHostFailure(db: Database, row: typeof hostFailures.$inferInsert): Promise<void> {
  const { hostId, code, failedAt, jobId } = row;
  await db.run(sql`
    INSERT OR IGNORE INTO ${hostFailures} (host_id, code, failed_at, job_id) SELECT ${hostId}, ${code}, ${failedAt}, ${jobId}
    WHERE (SELECT COUNT(*) FROM ${hostFailures} WHERE host_id = ${hostId} AND code = ${code}) < ${MOST_FAILURES}`);
}

export interface FailureCount {
  readonly hostId: string;
  readonly code: string;
  readonly count: number;
}

/** Counts failures of hosts since a time, by code. */
export async function countHostFailures(
  db: Database,
  hostIds: readonly string[],
  since: number,
): Promise<FailureCount[]> {
  return db.all<FailureCount>(sql`
    SELECT host_id AS hostId, code, COUNT(*) AS count FROM ${hostFailures}
    WHERE ${isOneOf(hostFailures.hostId, hostIds)} AND failed_at >= ${since}
    GROUP BY host_id, code`);
}

/** Reads the failures of a host since a time, by code, the latest first. */
export async function selectHostFailures(
  db: Database,
  hostId: string,
  since: number,
): Promise<(typeof hostFailures.$inferSelect)[]> {
  const { code, failedAt } = hostFailures;
  return db
    .select()
    .from(hostFailures)
    .where(and(eq(hostFailures.hostId, hostId), gte(failedAt, since)))
    .orderBy(desc(code), desc(failedAt));
}

/** Returns a host, also a revoked one; null if there is none. */
export async function findHostById(db: Database, id: string): Promise<HostRow | null> {
  return (await db.select().from(hosts).where(eq(hosts.id, id)).get()) ?? null;
}
