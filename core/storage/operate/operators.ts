import { and, eq, gt, isNull, lte } from 'drizzle-orm';
import type { Operator } from '#domain/operate/operator.ts';
import type { ListCursor } from '#protocol/lib/lists.ts';
import { type Database, inPages, isOneOf, revokeRow } from '../lib/database.ts';
import { audit, consoleSessions, operators } from '../schema/operator.ts';

export type OperatorRow = typeof operators.$inferSelect;
export type AuditRow = typeof audit.$inferSelect;

/** Returns the live operator of a token, by the token's SHA-256 in hexadecimal. */
export async function findOperator(db: Database, tokenSha256: string): Promise<Operator | null> {
  const live = and(eq(operators.tokenSha256, tokenSha256), isNull(operators.revokedAt));
  const { id, name, role } = operators;
  return (await db.select({ id, name, role }).from(operators).where(live).get()) ?? null;
}

/**
 * Finds the operator of a session that has not expired: null for the deployment's own token, undefined if there is no
 * such session.
 */
export async function findSession(
  db: Database,
  digests: readonly string[],
  now: number,
): Promise<Operator | null | undefined> {
  const { operatorId, expiresAt } = consoleSessions;
  const { id, name, role } = operators;
  const found = await db
    .select({ operatorId, operator: { id, name, role } })
    .from(consoleSessions)
    .leftJoin(operators, and(eq(id, operatorId), isNull(operators.revokedAt)))
    .where(and(isOneOf(consoleSessions.sha256, digests), gt(expiresAt, now)))
    .get();
  if (!found) return undefined;
  return found.operatorId === null ? null : (found.operator ?? undefined);
}

/** Adds a session, and removes expired ones. */
export async function insertSession(
  db: Database,
  session: typeof consoleSessions.$inferInsert,
  now: number,
): Promise<void> {
  const remove = db.delete(consoleSessions).where(lte(consoleSessions.expiresAt, now));
  await db.batch([remove, db.insert(consoleSessions).values(session)]);
}

export async function deleteSessions(db: Database, digests: readonly string[]): Promise<void> {
  await db.delete(consoleSessions).where(isOneOf(consoleSessions.sha256, digests));
}

export async function insertOperator(db: Database, row: typeof operators.$inferInsert): Promise<void> {
  await db.insert(operators).values(row);
}

/** Reads operators after a given one, oldest first: one more than `limit`, if there is one. */
export async function selectOperators(
  db: Database,
  after: ListCursor | undefined,
  limit: number,
): Promise<OperatorRow[]> {
  const { createdAt, id } = operators;
  return inPages(db.select().from(operators).$dynamic(), { createdAt, id }, { after, limit: limit + 1 });
}

/** Revokes an operator's token. A repeated call changes nothing. Returns false if there is no such operator. */
export function revokeOperator(db: Database, id: string, now: number): Promise<boolean> {
  return revokeRow(db, operators, id, now);
}

export async function insertAudit(db: Database, row: typeof audit.$inferInsert): Promise<void> {
  await db.insert(audit).values(row);
}

/** A position after the last possible row: without one, SQLite would scan the index. */
const LATEST: ListCursor = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** Reads changes, newest first, after a given one: one more than `limit`, if there is one. */
export async function selectAudit(db: Database, after: ListCursor = LATEST, limit: number): Promise<AuditRow[]> {
  const { createdAt, id } = audit;
  const page = { after, limit: limit + 1, isDescending: true };
  return inPages(db.select().from(audit).$dynamic(), { createdAt, id }, page);
}
