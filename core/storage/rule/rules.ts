import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { RunJob } from '#domain/job/rule-run.ts';
import type { Database } from '../lib/database.ts';
import { type RuleDefinition, ruleRuns, rules } from '../schema/rules.ts';
import { apiKeys } from '../schema/schema.ts';
import { JOBS_OF_RUN, reviveRuns } from './rule-runs.ts';

export type RuleRow = typeof rules.$inferSelect;
/** Undefined fields stay unchanged. */
type RuleUpdate = { readonly [K in Exclude<keyof RuleRow, 'definition'>]?: RuleRow[K] | undefined } & {
  readonly definition?: { readonly [K in keyof RuleDefinition]?: RuleDefinition[K] | undefined };
};
/** With the name of its key, and JSON of what it has used of its budget since a time. */
type KeyedRule = RuleRow & { readonly keyName: string | null; readonly used: string };
type MadeRun = typeof ruleRuns.$inferSelect & { readonly jobs: readonly RunJob[] };

/** Returns false if the account has its most rules: one statement checks and writes. */
export async function insertRule(db: Database, row: typeof rules.$inferInsert, most: number): Promise<boolean> {
  const { id, accountId, name, keyId, definition, send, enabled, createdAt } = row;
  const inserted = await db.all(sql`
    INSERT INTO ${rules} (id, account_id, name, key_id, definition, send, enabled, created_at)
    SELECT ${id}, ${accountId}, ${name}, ${keyId}, ${JSON.stringify(definition)}, ${JSON.stringify(send)}, ${enabled},
      ${createdAt} WHERE (SELECT COUNT(*) FROM ${rules} WHERE account_id = ${accountId}) < ${most} RETURNING id`);
  return inserted.length > 0;
}

export async function findRule(db: Database, accountId: string, id: string): Promise<RuleRow | null> {
  return (await db.select().from(rules).where(ofAccount(accountId, id)).get()) ?? null;
}

/** Reads the rules of an account, oldest first, or one of them. */
export async function selectRules(db: Database, accountId: string, since: number, id?: string): Promise<KeyedRule[]> {
  const used = sql<string>`(SELECT json_object('demos_a_day', COALESCE(SUM(is_read), 0), 'clips_a_day',
      COALESCE(SUM(clips), 0))
    FROM ${ruleRuns} WHERE rule_id = ${rules.id} AND created_at >= ${since})`;
  const found = db.select({ ...getTableColumns(rules), keyName: apiKeys.name, used }).from(rules);
  const named = found.leftJoin(apiKeys, eq(apiKeys.id, rules.keyId)).where(ofAccount(accountId, id));
  return named.orderBy(rules.createdAt, rules.id);
}

/** Reads the latest runs of these rules, newest first, with their jobs. `limit`: of each rule. */
export async function selectRuleRuns(db: Database, accountId: string, limit: number, id?: string): Promise<MadeRun[]> {
  const latest = sql`SELECT id FROM ${ruleRuns} WHERE rule_id = ${rules.id} ORDER BY created_at DESC LIMIT ${limit}`;
  const found = db.select({ ...getTableColumns(ruleRuns), jobs: JOBS_OF_RUN }).from(rules);
  const runs = await found.innerJoin(ruleRuns, sql`${ruleRuns.id} IN (${latest})`).where(ofAccount(accountId, id));
  return runs.map((run) => ({ ...run, jobs: JSON.parse(run.jobs) })).sort((a, b) => b.createdAt - a.createdAt);
}

/** Reads the rules of an account that act on new demos. */
export async function selectActiveRules(
  db: Database,
  accountId: string,
): Promise<Pick<RuleRow, 'id' | 'definition'>[]> {
  const { id, definition, enabled } = rules;
  return db
    .select({ id, definition })
    .from(rules)
    .where(and(ofAccount(accountId), eq(enabled, true)));
}

/**
 * Changes only the given fields, also of the definition: other requests may change the others. `revivesAfter`: revives
 * the runs that came after this time.
 */
export async function updateRule(
  db: Database,
  id: string,
  { definition = {}, ...changes }: RuleUpdate,
  { now, revivesAfter }: { readonly now: number; readonly revivesAfter: number | null },
): Promise<void> {
  const fields = Object.entries(definition).flatMap(([field, value]) =>
    value === undefined ? [] : [sql`, ${`$.${field}`}, json(${JSON.stringify(value)})`],
  );
  const set = fields.length === 0 ? {} : { definition: sql`json_set(${rules.definition}${sql.join(fields)})` };
  const update = db
    .update(rules)
    .set({ ...changes, ...set })
    .where(eq(rules.id, id));
  await db.batch(revivesAfter === null ? [update] : [update, reviveRuns(db, id, now, revivesAfter)]);
}

/** Disables a rule for the service, unless it is disabled. */
export async function pauseRule(db: Database, id: string, now: number, pauseReason: string): Promise<void> {
  const isEnabled = and(eq(rules.id, id), eq(rules.enabled, true));
  await db.update(rules).set({ enabled: false, pausedAt: now, pauseReason }).where(isEnabled);
}

/** Gives the rules of a key to its successor. */
export async function moveRules(db: Database, accountId: string, from: string, keyId: string): Promise<void> {
  const theirs = and(eq(rules.accountId, accountId), eq(rules.keyId, from));
  await db.update(rules).set({ keyId }).where(theirs);
}

/** Deletes a rule with its runs. Its jobs stay. */
export async function removeRule(db: Database, id: string): Promise<void> {
  await db.batch([db.delete(rules).where(eq(rules.id, id)), db.delete(ruleRuns).where(eq(ruleRuns.ruleId, id))]);
}

function ofAccount(accountId: string, id?: string): SQL | undefined {
  return and(eq(rules.accountId, accountId), id === undefined ? undefined : eq(rules.id, id));
}
