import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Tier } from '../domain/clip.ts';
import { HOME } from '../domain/home-database.ts';
import type { Renderer } from '../domain/need.ts';
import { USUAL_VIEWING, type Viewing } from '../domain/viewing.ts';
import type { Database, Databases } from './database.ts';
import { accounts, apiKeys, jobs } from './schema.ts';

/** Who asks: the account behind an API key, and what the key is for. */
export interface Caller {
  readonly accountId: string;
  readonly keyKind: Tier;
  readonly idSalt: string;
  /** What the account asks of hosts. */
  readonly renderer: Renderer | null;
  readonly labels: readonly string[];
  /** The binding of the database that has what is the account's. */
  readonly database: string;
  /** Jobs of the account that had not finished when it was looked up; whoever adds one counts it. */
  unfinished: number;
}

const UNFINISHED = sql<number>`(SELECT COUNT(*) FROM ${jobs} WHERE ${jobs.accountId} = ${accounts.id} AND ${jobs.finishedAt} IS NULL)`;

/** The caller behind a live key, by the SHA-256 of the key in hexadecimal; null for an unknown or revoked one. */
export async function findCaller(databases: Databases, sha256: string): Promise<Caller | null> {
  const { id: accountId, idSalt, renderer, labels, database } = accounts;
  const row = await databases.home
    .select({ accountId, keyKind: apiKeys.kind, idSalt, renderer, labels, database, unfinished: UNFINISHED })
    .from(apiKeys)
    .innerJoin(accounts, eq(apiKeys.accountId, accounts.id))
    .where(and(eq(apiKeys.sha256, sha256), isNull(apiKeys.revokedAt)))
    .get();
  if (!row || row.database === HOME) return row ?? null;
  return { ...row, unfinished: await countUnfinished(databases.of(row.database), row.accountId) };
}

/** Jobs of an account that have not finished. */
export async function countUnfinished(db: Database, accountId: string): Promise<number> {
  return db.$count(jobs, and(eq(jobs.accountId, accountId), isNull(jobs.finishedAt)));
}

export type AccountRow = typeof accounts.$inferInsert;
export type ApiKeyRow = typeof apiKeys.$inferInsert;

export async function insertAccount(db: Database, row: AccountRow): Promise<void> {
  await db.insert(accounts).values(row);
}

/** `slots`: null for no limit. */
export interface AccountSummary {
  readonly id: string;
  readonly name: string;
  readonly slots: number | null;
  /** What its jobs ask of hosts: null for any renderer. */
  readonly renderer: Renderer | null;
  readonly labels: readonly string[];
  readonly database: string;
  readonly createdAt: number;
}

/** A key without anything that would let somebody use it. */
export type ApiKeySummary = Pick<typeof apiKeys.$inferSelect, 'id' | 'kind' | 'hint' | 'createdAt' | 'revokedAt'>;

const ACCOUNT = {
  id: accounts.id,
  name: accounts.name,
  slots: accounts.provisionedSlots,
  renderer: accounts.renderer,
  labels: accounts.labels,
  database: accounts.database,
  createdAt: accounts.createdAt,
};

export async function findAccount(db: Database, id: string): Promise<AccountSummary | null> {
  return (await db.select(ACCOUNT).from(accounts).where(eq(accounts.id, id)).get()) ?? null;
}

/** All accounts, oldest first. */
export async function selectAccounts(db: Database): Promise<AccountSummary[]> {
  return db.select(ACCOUNT).from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id));
}

export async function updateAccount(
  db: Database,
  id: string,
  changes: Partial<Pick<typeof accounts.$inferInsert, 'name' | 'provisionedSlots' | 'renderer' | 'labels'>>,
): Promise<void> {
  await db.update(accounts).set(changes).where(eq(accounts.id, id));
}

/** How the account has its clips shown. */
export async function findViewing(db: Database, id: string): Promise<Viewing> {
  const row = await db.select({ viewing: accounts.viewing }).from(accounts).where(eq(accounts.id, id)).get();
  return { ...USUAL_VIEWING, ...row?.viewing };
}

/** What clips there are then has to be shown anew: `sweepViewing`. */
export async function updateViewing(db: Database, id: string, viewing: Viewing): Promise<void> {
  await db.update(accounts).set({ viewing }).where(eq(accounts.id, id));
}

/** The account's provisioned slots; null for no limit. */
export async function findSlots(db: Database, id: string): Promise<number | null> {
  return (await findAccount(db, id))?.slots ?? null;
}

/** Two: the one that clients use, and its successor. */
export const LIVE_KEYS = 2;

/** False where the account has as many live keys of the kind as it may; asked and written in one statement. */
export async function insertApiKey(db: Database, row: ApiKeyRow): Promise<boolean> {
  const { id, accountId, kind, sha256, hint, createdAt } = row;
  const inserted = await db.all(sql`
    INSERT INTO ${apiKeys} (id, account_id, kind, sha256, hint, created_at)
    SELECT ${id}, ${accountId}, ${kind}, ${sha256}, ${hint}, ${createdAt}
    WHERE (SELECT COUNT(*) FROM ${apiKeys} WHERE account_id = ${accountId} AND kind = ${kind} AND revoked_at IS NULL)
      < ${LIVE_KEYS} RETURNING id`);
  return inserted.length > 0;
}

/** The keys of an account, oldest first. */
export async function selectApiKeys(db: Database, accountId: string): Promise<ApiKeySummary[]> {
  return db
    .select({
      id: apiKeys.id,
      kind: apiKeys.kind,
      hint: apiKeys.hint,
      createdAt: apiKeys.createdAt,
      revokedAt: apiKeys.revokedAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
}

/** What a live key of the account is for; null when the account has no such key, or it was revoked. */
export async function findKeyKind(db: Database, accountId: string, id: string): Promise<Tier | null> {
  const live = and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt));
  return (await db.select({ kind: apiKeys.kind }).from(apiKeys).where(live).get())?.kind ?? null;
}

/** Revokes a key; revoking it again changes nothing. False when the account has no such key. */
export async function revokeApiKey(db: Database, accountId: string, id: string, now: number): Promise<boolean> {
  const mine = and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId));
  await db
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(mine, isNull(apiKeys.revokedAt)));
  return (await db.select({ id: apiKeys.id }).from(apiKeys).where(mine).get()) !== undefined;
}
