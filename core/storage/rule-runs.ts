import { sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { DAY_MS } from '#domain/metering.ts';
import type { Database } from './database.ts';
import { ruleRuns, rules } from './rules-schema.ts';
import { jobs, uploads } from './schema.ts';

/** Failed runs in a row that pause a rule; a trigger has the same number. */
export const MOST_FAILURES = 5;

/**
 * Makes a run of each rule that acts on a complete upload. A batch has it behind the statement that completes the
 * upload, so that no demo is missed. Repeatable: a rule has one run for a content.
 */
export function claimRuns(db: Database, uploadId: string, now: number): BatchItem<'sqlite'> {
  const content = sql`COALESCE(u.sha256, u.id)`;
  const digits = sql`REPLACE(${content}, '-', '')`;
  const id = sql`SUBSTR(r.id, 1, 19) || '8' || SUBSTR(${digits}, 1, 3) || '-' || SUBSTR(${digits}, 4, 12)`;
  const isAny = (field: string, value: string) => {
    const [path, column] = [`$.when.${field}`, sql.raw(value)];
    return sql`(r.definition -> ${path} IS NULL OR ${column} IN (SELECT value FROM json_each(r.definition, ${path})))`;
  };
  const isFull = sql`(SELECT COUNT(*) FROM ${ruleRuns} WHERE rule_id = r.id AND created_at >= ${now - (now % DAY_MS)})
    >= r.definition ->> '$.budget.demos_a_day'`;
  // In the order of the columns. A batch takes no raw statement with parameters.
  const runs = sql`
    SELECT ${id}, r.id, u.account_id, ${content}, u.id, u.key_id, IIF(${isFull}, 'skipped', 'waiting'), 0, '[]',
      IIF(${isFull}, 'the rule has used its demos of the day', NULL), NULL, ${now}, IIF(${isFull}, ${now}, NULL)
    FROM ${uploads} u JOIN ${rules} r ON r.account_id = u.account_id
    WHERE u.id = ${uploadId} AND u.completed_at IS NOT NULL AND r.enabled
      AND ${isAny('sources', 'u.source')} AND ${isAny('tags', 'u.tag')}`;
  return db.insert(ruleRuns).select(runs).onConflictDoNothing();
}

/** A run that has ended with a clip, for its post. */
export interface ClosedRun {
  readonly ruleId: string;
  readonly ruleName: string;
  readonly discordUrl: string;
  /** All jobs of the run, in the order of their clips. */
  readonly jobIds: readonly string[];
}

/**
 * Ends a run if all of its jobs have finished; that job then sends the post. Returns the post of a job that sends it,
 * also in later calls; null for all other jobs, and if there is no clip or no Discord webhook. Call it after the job is
 * in the index with its outcome.
 */
export async function closeRun(db: Database, runId: string, jobId: string, now: number): Promise<ClosedRun | null> {
  const ofRun = sql`FROM ${jobs} WHERE rule_run = ${runId}`;
  await db.run(sql`
    UPDATE ${ruleRuns} SET posted_by = ${jobId}, ended_at = ${now},
      state = IIF(EXISTS (SELECT 1 ${ofRun} AND status = 'done'), 'done', 'failed'),
      detail = IIF(EXISTS (SELECT 1 ${ofRun} AND status = 'done'), detail,
        'no clip was made: ' || (SELECT GROUP_CONCAT(DISTINCT error_code) ${ofRun}))
    WHERE id = ${runId} AND state IN ('submitting', 'running') AND (SELECT COUNT(*) ${ofRun}) >= clips
      AND NOT EXISTS (SELECT 1 ${ofRun} AND finished_at IS NULL)`);
  const post = await db.get<{ ruleId: string; ruleName: string; discordUrl: string; jobIds: string } | undefined>(sql`
    SELECT r.id AS ruleId, r.name AS ruleName, r.send ->> '$.discord_url' AS discordUrl,
      (SELECT json_group_array(id) FROM (SELECT id ${ofRun} ORDER BY created_at, id)) AS jobIds
    FROM ${ruleRuns} run JOIN ${rules} r ON r.id = run.rule_id
    WHERE run.id = ${runId} AND run.posted_by = ${jobId} AND run.state = 'done' AND discordUrl IS NOT NULL`);
  return post ? { ...post, jobIds: JSON.parse(post.jobIds) as string[] } : null;
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
