import { and, eq, getTableColumns, gt, isNotNull, isNull, lte, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type KeyKind, type Scope, USUAL_VIEWING, type Viewing } from '#domain/account/account.ts';
import type { Brand } from '#domain/account/brand.ts';
import type { AccountRenderer } from '#domain/host/need.ts';
import { type AccountLimits, type IngestLimits, LIMITS } from '#domain/operate/limits.ts';
import type { ListCursor } from '#protocol/lib/lists.ts';
import { take, type Use, type Used, usedBy } from '../lib/budgets.ts';
import { type Database, inPages, isOneOf } from '../lib/database.ts';
import { accounts, apiKeys, jobs } from '../schema/schema.ts';

/** The account of an API key, and the key's rights. */
export interface Caller {
  /** Of a test key: the test account. */
  readonly accountId: string;
  /** The account that operators see: of a test key, the customer's. */
  readonly customerId: string;
  readonly keyId: string;
  readonly keyKind: KeyKind;
  readonly scope: Scope;
  /** Null unless the key is of scope `ingest` and has its own. */
  readonly ingestLimits: IngestLimits | null;
  /** The stored time. Code that writes a later time updates it here. */
  usedAt: number | null;
  /** Null unless the account is suspended. */
  readonly suspendedAt: number | null;
  /** Only those that differ from the deployment's. */
  readonly limits: AccountLimits;
  readonly idSalt: string;
  /** The provisioned ones; null for no limit. */
  readonly slots: number | null;
  /** Null for the deployment's renderer. */
  readonly renderer: AccountRenderer | null;
  /** Labels that a host must have. */
  readonly labels: readonly string[];
  /** Whether requests without `names` hide them. */
  readonly hidesNames: boolean;
  /** Unfinished jobs of the account, and what it has used, at its look-up. Code that adds a job increases them. */
  unfinished: number;
  readonly used: Used;
}

/**
 * A condition that forces the index: SQLite would otherwise choose another one and read all jobs of the account with
 * each request.
 */
const UNFINISHED_JOBS = sql`${jobs} INDEXED BY jobs_unfinished`;

/** Returns the caller of a live key, by the key's SHA-256 in hexadecimal; null if there is none. */
export function findCaller(db: Database, sha256: string, now: number): Promise<Caller | null> {
  return callerOf(db, eq(apiKeys.sha256, sha256), now);
}

/** Returns the caller of a live key by its id, for work that the key's holder has asked for earlier. */
export function findCallerOfKey(db: Database, id: string, now: number): Promise<Caller | null> {
  return callerOf(db, eq(apiKeys.id, id), now);
}

async function callerOf(db: Database, isKey: SQL, now: number): Promise<Caller | null> {
  const { id: accountId, idSalt, provisionedSlots: slots, renderer, labels, suspendedAt, limits } = accounts;
  const { id: keyId, kind: keyKind, scope, ingestLimits, usedAt } = apiKeys;
  const ofKey = { keyId, keyKind, scope, ingestLimits, usedAt };
  const customerId = sql<string>`COALESCE(${accounts.testOf}, ${accountId})`;
  const hidesNames = sql`COALESCE(${accounts.viewing} ->> 'hidesNames', 0)`.mapWith(Boolean);
  const ofAccount = { accountId, customerId, idSalt, slots, renderer, labels, hidesNames, suspendedAt, limits };
  const unfinished = sql<number>`(SELECT COUNT(*) FROM ${UNFINISHED_JOBS} WHERE ${jobs.accountId} = ${accountId} AND ${jobs.finishedAt} IS NULL)`;
  const row = await db
    .select({ ...ofKey, ...ofAccount, unfinished, used: usedBy(accountId, now) })
    .from(apiKeys)
    .innerJoin(accounts, eq(apiKeys.accountId, accounts.id))
    .where(and(isKey, isLive(now)))
    .get();
  return row ? { ...row, used: JSON.parse(row.used) } : null;
}

function isLive(now: number): SQL | undefined {
  return and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
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
  /** Null for the deployment's renderer. */
  readonly renderer: AccountRenderer | null;
  readonly labels: readonly string[];
  readonly suspendedAt: number | null;
  readonly erasingAt: number | null;
  /** Whether its clips are hidden while it is suspended. */
  readonly isHidden: boolean;
  readonly brand: Brand | null;
  readonly limits: AccountLimits;
  readonly createdAt: number;
  /** The part of its clip seconds that the radar made, in the 30 days before its latest clip; null without clips. */
  readonly drawnShare: number | null;
}

/** A key without its hash. */
export type ApiKeySummary = Omit<typeof apiKeys.$inferSelect, 'accountId' | 'sha256'>;

const ACCOUNT = {
  id: accounts.id,
  name: accounts.name,
  slots: accounts.provisionedSlots,
  renderer: accounts.renderer,
  labels: accounts.labels,
  suspendedAt: accounts.suspendedAt,
  erasingAt: accounts.erasingAt,
  isHidden: sql`COALESCE(${accounts.viewing} ->> 'isHidden', 0)`.mapWith(Boolean),
  brand: sql`${accounts.viewing} -> '$.brand'`.mapWith((text: string): Brand | null => JSON.parse(text)),
  limits: accounts.limits,
  createdAt: accounts.createdAt,
  drawnShare: sql<number | null>`(SELECT SUM(IIF(renderer = 'radar', seconds, 0)) / SUM(seconds) FROM usage_days
    WHERE account_id = ${accounts.id} AND day > (SELECT MAX(day) FROM usage_days WHERE account_id = ${accounts.id}) - 30)`,
};

export async function findAccount(db: Database, id: string): Promise<AccountSummary | null> {
  return (await db.select(ACCOUNT).from(accounts).where(isCustomer(id)).get()) ?? null;
}

/**
 * Returns the id of the customer's account: for a test account, the one whose test keys use it. `id`: a column, or a
 * value.
 */
export function customerOf(id: SQLWrapper): SQL<string> {
  return sql`COALESCE((SELECT test_of FROM ${accounts} WHERE ${accounts}.id = ${id}), ${id})`;
}

export async function findCustomer(db: Database, id: string): Promise<string> {
  return (await db.get<{ id: string }>(sql`SELECT ${customerOf(sql`${id}`)} AS id`)).id;
}

function isCustomer(id: string): SQL | undefined {
  return and(eq(accounts.id, id), isNull(accounts.testOf));
}

/** Returns the condition that a row is of an account, or of its test account. */
export function isOrTests(id: string): SQL | undefined {
  return or(eq(accounts.id, id), eq(accounts.testOf, id));
}

/** Returns the id of an account's test account; null before its first test key. */
export async function findTestAccount(db: Database, of: string): Promise<string | null> {
  return (await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.testOf, of)).get())?.id ?? null;
}

/** Returns the id of an account's test account, which the first test key creates; of a test account, its own id. */
export async function ensureTestAccount(
  db: Database,
  of: string,
  { id, idSalt, createdAt }: Pick<AccountRow, 'id' | 'idSalt' | 'createdAt'>,
): Promise<string> {
  // The operator's settings of both are the same.
  await db.run(sql`
    INSERT INTO ${accounts}
      (id, id_salt, created_at, test_of, name, renderer, labels, suspended_at, erasing_at, limits, viewing)
    SELECT ${id}, ${idSalt}, ${createdAt}, id, name, renderer, labels, suspended_at, erasing_at, limits,
      json_remove(viewing, '$.embedSites', '$.showsViews', '$.showsMore', '$.hidesNames')
    FROM ${accounts} WHERE id = ${of} AND test_of IS NULL ON CONFLICT DO NOTHING`);
  return (await findTestAccount(db, of)) ?? of;
}

/** Returns which of the accounts are suspended or being erased. */
export async function selectSuspended(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = and(isOneOf(accounts.id, ids), isNotNull(accounts.suspendedAt));
  return new Set((await db.select({ id: accounts.id }).from(accounts).where(found)).map(({ id }) => id));
}

/** Reads accounts after a given one, oldest first: one more than `limit`, if there is one. */
export async function selectAccounts(
  db: Database,
  after: ListCursor | undefined,
  limit: number,
): Promise<AccountSummary[]> {
  const { createdAt, id } = accounts;
  const where = isNull(accounts.testOf);
  return inPages(db.select(ACCOUNT).from(accounts).$dynamic(), { createdAt, id }, { where, after, limit: limit + 1 });
}

type Changeable = 'name' | 'provisionedSlots' | 'renderer' | 'labels' | 'limits' | 'suspendedAt';

/** Undefined fields stay unchanged. `suspendedAt`: since when the account is suspended; ignored if it already is. */
export type AccountUpdate = { readonly [K in Changeable]: AccountRow[K] | undefined };

/** Changes only the given fields, also of its test account. Returns the changed account; null if there is none. */
export async function updateAccount(db: Database, id: string, changes: AccountUpdate): Promise<AccountSummary | null> {
  const { suspendedAt, ...others } = changes;
  const since =
    suspendedAt === undefined ? accounts.suspendedAt : sql`COALESCE(${accounts.suspendedAt}, ${suspendedAt})`;
  const set = { ...others, suspendedAt: suspendedAt === null ? null : sql`${since}` };
  const both = or(isCustomer(id), eq(accounts.testOf, id));
  const changed = await db.update(accounts).set(set).where(both).returning(ACCOUNT);
  return changed.find((account) => account.id === id) ?? null;
}

/** Returns how the account's clips are shown. */
export async function findViewing(db: Database, id: string): Promise<Viewing> {
  const row = await db.select({ viewing: accounts.viewing }).from(accounts).where(eq(accounts.id, id)).get();
  return { ...USUAL_VIEWING, ...row?.viewing };
}

/** Undefined fields stay unchanged. */
export type ViewingChanges = { readonly [K in keyof Viewing]?: Viewing[K] | undefined };

/**
 * Changes only the given fields, and returns all of them; null if the account has changed them too often. `sweepViewing`
 * applies the change to existing clips.
 */
export async function updateViewing(
  db: Database,
  id: string,
  changes: ViewingChanges,
  uses: readonly (Use & { readonly most: number })[] = [],
): Promise<Viewing | null> {
  // null resets a field to its default.
  const viewing = sql`json_patch(COALESCE(${accounts.viewing}, '{}'), ${JSON.stringify(changes)})`;
  const isDone = await take(db, uses, (hasRoom) =>
    db
      .update(accounts)
      .set({ viewing })
      .where(and(eq(accounts.id, id), hasRoom))
      .returning({ id: accounts.id }),
  );
  return isDone ? findViewing(db, id) : null;
}

/** Returns the account's provisioned slots, null for no limit, and its renderer; undefined without an account. */
export function findDispatchPolicy(
  db: Database,
  id: string,
): Promise<{ slots: number | null; renderer: AccountRenderer | null } | undefined> {
  const { provisionedSlots: slots, renderer } = accounts;
  return db.select({ slots, renderer }).from(accounts).where(isCustomer(id)).get();
}

/** The most live keys of a kind and scope: the one in use, and its successor. */
export const LIVE_KEYS = LIMITS.fixed.keys.preset;

/**
 * Returns false if the account has its most live keys of the kind and scope, or the key that makes it is not live any
 * more: one statement checks and writes.
 */
export async function insertApiKey(db: Database, row: ApiKeyRow): Promise<boolean> {
  const { id, accountId, kind, sha256, hint, createdAt, name = null, scope, expiresAt = null, madeBy = null } = row;
  const limits = row.ingestLimits ? JSON.stringify(row.ingestLimits) : null;
  const isLiveAt = sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${createdAt})`;
  const inserted = await db.all(sql`
    INSERT INTO ${apiKeys} (id, account_id, kind, sha256, hint, created_at, name, scope, expires_at,
      ingest_limits, made_by)
    SELECT ${id}, ${accountId}, ${kind}, ${sha256}, ${hint}, ${createdAt}, ${name}, ${scope}, ${expiresAt},
      ${limits}, ${madeBy}
    WHERE (SELECT COUNT(*) FROM ${apiKeys} WHERE account_id = ${accountId} AND kind = ${kind} AND scope = ${scope}
      AND ${isLiveAt}) < ${LIVE_KEYS}
    AND (${madeBy} IS NULL OR EXISTS (SELECT 1 FROM ${apiKeys} WHERE id = ${madeBy} AND ${isLiveAt})) RETURNING id`);
  return inserted.length > 0;
}

/** Counts the keys that keys of the account have made since a time, the revoked ones too. */
export async function countMadeKeys(db: Database, accountId: string, since: number): Promise<number> {
  const made = and(isKeyOf(accountId), gt(apiKeys.createdAt, since), isNotNull(apiKeys.madeBy));
  return db.$count(apiKeys, made);
}

/** Reads keys of an account after a given one, oldest first: one more than `limit`, if there is one. */
export async function selectApiKeys(
  db: Database,
  accountId: string,
  after: ListCursor | undefined,
  limit: number,
): Promise<ApiKeySummary[]> {
  const { accountId: _account, sha256: _sha256, ...columns } = getTableColumns(apiKeys);
  const { createdAt, id } = columns;
  const query = db.select(columns).from(apiKeys).$dynamic();
  return inPages(query, { createdAt, id }, { where: isKeyOf(accountId), after, limit: limit + 1 });
}

/** Returns the condition that a key is of an account, test keys included. */
export function isKeyOf(accountId: string): SQL {
  return sql`${apiKeys.accountId} IN (SELECT ${accounts.id} FROM ${accounts} WHERE ${isOrTests(accountId)})`;
}

export type KeyTerms = Pick<ApiKeySummary, 'kind' | 'scope' | 'name' | 'expiresAt' | 'ingestLimits'>;

/** Returns the terms of a live key of the account; null if there is none. */
export async function findKeyTerms(db: Database, accountId: string, id: string, now: number): Promise<KeyTerms | null> {
  const { kind, scope, name, expiresAt, ingestLimits } = apiKeys;
  const mine = and(eq(apiKeys.id, id), isKeyOf(accountId), isLive(now));
  return (await db.select({ kind, scope, name, expiresAt, ingestLimits }).from(apiKeys).where(mine).get()) ?? null;
}

/** Stores the time of a key's use, unless another isolate has done so since. */
export async function noteKeyUsed(db: Database, id: string, now: number, staleBefore: number): Promise<void> {
  const isStale = or(isNull(apiKeys.usedAt), lte(apiKeys.usedAt, staleBefore));
  await db
    .update(apiKeys)
    .set({ usedAt: now })
    .where(and(eq(apiKeys.id, id), isStale));
}

/**
 * Revokes a key with the keys that it has made, those that these have made, and so on. `keepsMade`: revokes it alone. A
 * repeated call changes nothing. Returns which keys are revoked now; null if the account has no such key.
 */
export async function revokeApiKey(
  db: Database,
  accountId: string,
  id: string,
  now: number,
  keepsMade = false,
): Promise<readonly string[] | null> {
  const mine = and(eq(apiKeys.id, id), isKeyOf(accountId));
  const made = sql`UNION SELECT k.id FROM ${apiKeys} k JOIN ended ON k.made_by = ended.id`;
  const ended = await db.all<{ id: string }>(sql`
    WITH RECURSIVE ended(id) AS (SELECT id FROM ${apiKeys} WHERE ${mine} ${keepsMade ? sql`` : made})
    UPDATE ${apiKeys} SET revoked_at = ${now} WHERE id IN (SELECT id FROM ended) AND revoked_at IS NULL RETURNING id`);
  if (ended.length > 0) return ended.map((row) => row.id);
  return (await db.select({ id: apiKeys.id }).from(apiKeys).where(mine).get()) ? [] : null;
}
