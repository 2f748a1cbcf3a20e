import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { DAY_MS } from '#domain/metering.ts';
import type { Database } from './database.ts';
import { ruleRuns, rules } from './rules-schema.ts';
import { apiKeys, jobs, uploads } from './schema.ts';

/**
 * Makes a run of each rule that acts on a complete upload. A batch has it behind the statement that completes the
 * upload. Repeatable: a rule has one run for a content, also after the run was deleted.
 */
export function claimRuns(db: Database, uploadId: string, now: number): BatchItem<'sqlite'> {
  const digits = sql`REPLACE(COALESCE(u.sha256, u.id), '-', '')`;
  const id = sql`SUBSTR(r.id, 1, 19) || '8' || SUBSTR(${digits}, 1, 3) || '-' || SUBSTR(${digits}, 4, 12)`;
  const isAny = (path: string, value: SQL) =>
    sql`(r.definition -> ${path} IS NULL OR ${value} IN (SELECT value FROM json_each(r.definition, ${path})))`;
  const isFull = sql`(SELECT COUNT(*) FROM ${ruleRuns} WHERE rule_id = r.id AND created_at >= ${now - (now % DAY_MS)})
    >= r.definition ->> '$.budget.demos_a_day'`;
  const made = sql`SELECT ${id}, r.id, u.account_id, COALESCE(u.sha256, u.id), u.id, u.key_id,
      IIF(${isFull}, 'skipped', 'waiting'), 0, '[]', IIF(${isFull}, 'the rule has used its demos of the day', NULL), NULL,
      ${now}, IIF(${isFull}, ${now}, NULL)
    FROM ${uploads} u JOIN ${rules} r ON r.account_id = u.account_id
    WHERE u.id = ${uploadId} AND u.completed_at IS NOT NULL AND r.enabled
      AND ${isAny('$.when.sources', sql`u.source`)} AND ${isAny('$.when.tags', sql`u.tag`)}
      AND NOT EXISTS (SELECT 1 FROM ${jobs} WHERE rule_run = ${id})`;
  // In the order of the columns. A batch takes no raw statement.
  return db.insert(ruleRuns).select(made).onConflictDoNothing();
}

/** A run that waits for its inspection or submits its jobs, and its rule. */
export interface OpenRun {
  readonly run: typeof ruleRuns.$inferSelect;
  readonly rule: typeof rules.$inferSelect;
  /** Of the run. They change when the clips are claimed. */
  requests: readonly object[];
  clips: number;
  /** How many of its jobs exist; of a stored run, those that the index has. */
  made: number;
}

/** A literal: SQLite does not choose a partial index by a bound value. */
const IS_OPEN = sql`${ruleRuns.state} IN ('waiting', 'submitting')`;

export async function selectOpenRuns(db: Database, uploadId: string): Promise<OpenRun[]> {
  const { requests, clips } = ruleRuns;
  const made = sql<number>`(SELECT COUNT(*) FROM ${jobs} WHERE rule_run = ${ruleRuns.id})`;
  const found = db
    .select({ run: ruleRuns, rule: rules, requests, clips, made })
    .from(ruleRuns)
    .innerJoin(rules, eq(rules.id, ruleRuns.ruleId));
  return found.where(and(eq(ruleRuns.uploadId, uploadId), IS_OPEN));
}

/** Reads uploads with open runs, in the order of their ids, after a given one. */
export async function selectOpenUploads(db: Database, after: string, limit: number): Promise<string[]> {
  const found = await db.all<{ id: string }>(sql`SELECT DISTINCT upload_id AS id FROM ${ruleRuns}
    WHERE upload_id > ${after} AND ${IS_OPEN} ORDER BY upload_id LIMIT ${limit}`);
  return found.map(({ id }) => id);
}

/**
 * Takes as many clips for a waiting run as the day of its demo has left in the budgets of the rule and of the key that
 * sent the demo. `keyClips`: of a key of scope `ingest` without its own limit. Returns 0 if the run does not wait.
 */
export async function claimClips(
  db: Database,
  { run, rule }: Pick<OpenRun, 'run' | 'rule'>,
  requests: readonly object[],
  { keyClips, now }: { readonly keyClips: number; readonly now: number },
): Promise<number> {
  const day = run.createdAt - (run.createdAt % DAY_MS);
  const used = (column: SQL, value: string | null) => sql`(SELECT COALESCE(SUM(clips), 0) FROM ${ruleRuns}
    WHERE ${column} = ${value} AND created_at >= ${day} AND created_at < ${day + DAY_MS})`;
  const ofKey = sql`(SELECT COALESCE(ingest_limits ->> 'clips', ${keyClips}) FROM ${apiKeys}
    WHERE id = ${run.keyId} AND scope = 'ingest')`;
  const wanted = requests.length;
  const claimed = await db.get<{ clips: number } | undefined>(sql`
    UPDATE ${ruleRuns} SET clips = n, requests = ${JSON.stringify(requests)}, state = IIF(n > 0, 'submitting', 'skipped'),
      detail = IIF(n < ${wanted}, 'the budget of the day has room for ' || n || ' of ' || ${String(wanted)} || ' clips', NULL),
      ended_at = IIF(n > 0, NULL, ${now})
    FROM (SELECT CAST(MAX(0, MIN(${wanted}, ${rule.definition.budget.clips_a_day} - ${used(sql`rule_id`, rule.id)},
      COALESCE(${ofKey} - ${used(sql`key_id`, run.keyId)}, ${wanted}))) AS INTEGER) AS n)
    WHERE id = ${run.id} AND state = 'waiting' RETURNING clips`);
  return claimed?.clips ?? 0;
}

/** Changes an open run. */
export async function moveRun(db: Database, id: string, change: Partial<OpenRun['run']>): Promise<void> {
  await db
    .update(ruleRuns)
    .set(change)
    .where(and(eq(ruleRuns.id, id), IS_OPEN));
}

/** Returns a job of a run that can send its post: one with a clip, if there is one. */
export async function findPoster(db: Database, runId: string): Promise<string | null> {
  // SQLite takes the id from the row of the maximum.
  const found = sql`SELECT id, MAX(status = 'done') FROM ${jobs} WHERE rule_run = ${runId}`;
  return (await db.get<{ id: string | null }>(found)).id;
}

/** Deletes runs of demos that came before a time. Returns how many were deleted. */
export async function pruneRuleRuns(db: Database, before: number, limit: number): Promise<number> {
  const { meta } = await db.run(sql`DELETE FROM ${ruleRuns} WHERE id IN (
    SELECT id FROM ${ruleRuns} WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`);
  return meta.changes;
}

/** Stores which job sends the post of a run, because an index that was restored may lack it. */
export async function keepPoster(db: Database, runId: string, jobId: string): Promise<void> {
  const isOpen = and(eq(ruleRuns.id, runId), isNull(ruleRuns.postedBy));
  await db.update(ruleRuns).set({ postedBy: jobId }).where(isOpen);
}

/**
 * Ends a run if all of its jobs have finished; that job then sends the post. Returns the rule's Discord webhook for the
 * job that sends it, also in calls of the next day; null for all other jobs, and if there is no clip or no webhook. A
 * webhook that the rule gets later is for later clips. Call it after the job is in the index with its outcome.
 */
export async function closeRun(db: Database, runId: string, jobId: string, now: number): Promise<string | null> {
  const ofRun = sql`FROM ${jobs} WHERE rule_run = ${runId}`;
  const isDone = sql`EXISTS (SELECT 1 ${ofRun} AND status = 'done')`;
  await db.run(sql`
    UPDATE ${ruleRuns} SET posted_by = COALESCE(posted_by, ${jobId}), ended_at = ${now}, state = IIF(${isDone}, 'done', 'failed'),
      detail = IIF(${isDone}, detail, 'no clip was made: ' || (SELECT MIN(error_code) ${ofRun}))
    WHERE id = ${runId} AND state IN ('submitting', 'running') AND (SELECT COUNT(*) ${ofRun}) >= MIN(clips, json_array_length(requests))
      AND NOT EXISTS (SELECT 1 ${ofRun} AND finished_at IS NULL)`);
  const post = await db.get<{ url: string | null } | undefined>(sql`
    SELECT r.send ->> '$.discord_url' AS url FROM ${ruleRuns} run JOIN ${rules} r ON r.id = run.rule_id
    WHERE run.id = ${runId} AND run.posted_by = ${jobId} AND run.state = 'done'
      AND run.ended_at >= ${now - DAY_MS}`);
  return post?.url ?? null;
}

/**
 * Notes whether the post of a run was sent. A rule with a Discord webhook has no more failures once one was sent; a
 * post that failed for good counts as a failed run.
 */
export async function notePosted(db: Database, runId: string, fault: string | null, now: number): Promise<void> {
  await db.run(
    fault === null
      ? sql`UPDATE ${rules} SET failures = 0 WHERE id = (SELECT rule_id FROM ${ruleRuns} WHERE id = ${runId})`
      : sql`UPDATE ${ruleRuns} SET state = 'failed', detail = ${fault}, ended_at = ${now}
          WHERE id = ${runId} AND state = 'done'`,
  );
}
