import { and, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { RunJob } from '#domain/job/rule-run.ts';
import type { PostedClip } from '#protocol/job/discord.ts';
import { type Database, isOneOf } from '../lib/database.ts';
import { type RuleDefinition, ruleRuns, rules } from '../schema/rules.ts';
import { accounts, apiKeys, clips, jobs } from '../schema/schema.ts';
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

type Row = Omit<PostedClip, 'facts' | 'isTest'> & { facts: string | null; submittedAt: number; isTest: 0 | 1 };

const COLUMNS = sql`c.id, c.title, c.facts, c.duration_seconds AS durationSeconds, c.video_key AS videoKey,
  c.video_bytes AS videoBytes, j.created_at AS submittedAt, j.is_test AS isTest`;

/** Returns clips in the order of their jobs. */
function inOrder<Read extends Row>(rows: readonly Read[]) {
  const sorted = rows.toSorted((a, b) => a.submittedAt - b.submittedAt);
  return sorted.map(({ facts, isTest, ...clip }) => ({
    ...clip,
    facts: facts === null ? null : JSON.parse(facts),
    ...(isTest ? { isTest: true } : {}),
  }));
}

/**
 * Returns what the post of a run sends now: its ready clips, in the order of their jobs, each with the rule's address.
 * Returns none if rule or address is gone, or the account is suspended or being erased.
 */
export async function selectPost(db: Database, runId: string): Promise<(PostedClip & { discordUrl: string })[]> {
  const rows = await db.all<Row & { discordUrl: string }>(sql`
    SELECT r.send ->> '$.discord_url' AS discordUrl, ${COLUMNS}
    FROM ${ruleRuns} run JOIN ${rules} r ON r.id = run.rule_id
      JOIN ${accounts} a ON a.id = run.account_id AND a.suspended_at IS NULL AND a.erasing_at IS NULL
      JOIN ${jobs} j ON j.rule_run = run.id JOIN ${clips} c ON c.id = j.clip_id AND c.state = 'ready'
    WHERE run.id = ${runId} AND discordUrl IS NOT NULL`);
  return inOrder(rows);
}

/** A clip that a message in Discord has. */
export interface ClipInMessage extends PostedClip {
  readonly accountId: string;
  /** The message's address, with the token of its webhook. */
  readonly message: string;
  readonly isReady: 0 | 1;
}

/** Returns the clips of a run that its message in Discord has, also after rule and run are gone. */
export async function selectMessage(db: Database, runId: string): Promise<ClipInMessage[]> {
  const rows = await db.all<Row & Omit<ClipInMessage, keyof PostedClip>>(sql`
    SELECT c.account_id AS accountId, c.message, c.state = 'ready' AS isReady, ${COLUMNS}
    FROM ${jobs} j JOIN ${clips} c ON c.id = j.clip_id AND c.message IS NOT NULL WHERE j.rule_run = ${runId}`);
  return inOrder(rows);
}

/** Stores the address of the message in Discord that has these clips; null once no message has them. */
export async function noteMessage(db: Database, clipIds: readonly string[], message: string | null): Promise<void> {
  await db.update(clips).set({ message }).where(isOneOf(clips.id, clipIds));
}
