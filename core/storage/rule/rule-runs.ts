import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { DAY_MS } from '#domain/job/metering.ts';
import {
  MOST_FAILURES,
  NEW_RUN,
  pauseReasonOf,
  type RunChange,
  type RunJob,
  type RunRoom,
} from '#domain/job/rule-run.ts';
import type { Database } from '../lib/database.ts';
import { IS_OPEN, ruleRuns, rules } from '../schema/rules.ts';
import { accounts, apiKeys, jobs, type UploadRow, uploads } from '../schema/schema.ts';

type RunRow = typeof ruleRuns.$inferSelect;

/** A run to begin for a demo that has come. The id is made of rule and content. */
export interface NewRun {
  readonly id: string;
  readonly ruleId: string;
}

const HAS_NO_JOB = sql`NOT EXISTS (SELECT 1 FROM ${jobs} WHERE rule_run = ${ruleRuns.id})`;

/** What a run becomes that has made no job: it begins anew. */
const revivedAt = (now: number) => ({ ...NEW_RUN, createdAt: now, version: sql`${ruleRuns.version} + 1` });

/**
 * Begins runs for a complete upload. A batch has it behind the statement that completes the upload. Repeatable: a rule
 * has one run for a content, also after the run was deleted. One that made no job moves to the upload, and is revived
 * if it has ended.
 */
export function beginRun(
  db: Database,
  { id: uploadId, accountId, keyId }: Pick<UploadRow, 'id' | 'accountId' | 'keyId'>,
  { id, ruleId }: NewRun,
  now: number,
): BatchItem<'sqlite'> {
  const isLive = sql`EXISTS (SELECT 1 FROM ${uploads} WHERE id = ${uploadId} AND completed_at IS NOT NULL)`;
  const hasJobs = sql`EXISTS (SELECT 1 FROM ${jobs} WHERE rule_run = ${id})`;
  // In the order of the columns.
  const row = sql`SELECT ${id}, 1, ${ruleId}, ${accountId}, ${uploadId}, ${keyId}, 'waiting', 0, 0, '[]', NULL, NULL, NULL,
    ${now}, NULL WHERE ${isLive} AND NOT ${hasJobs}`;
  return db
    .insert(ruleRuns)
    .select(row)
    .onConflictDoUpdate({
      target: ruleRuns.id,
      set: { ...revivedAt(now), uploadId, keyId },
      setWhere: sql`${ruleRuns.state} IN ('failed', 'skipped')
        OR ${ruleRuns.uploadId} <> ${uploadId} AND ${ruleRuns.state} IN ('waiting', 'submitting')`,
    });
}

/** Revives the runs of a resumed rule that came after a time, made no job, and whose demos are still there. */
export function reviveRuns(db: Database, ruleId: string, now: number, after: number): BatchItem<'sqlite'> {
  const hasDemo = sql`EXISTS (SELECT 1 FROM ${uploads} u WHERE u.id = ${ruleRuns.uploadId} AND u.expires_at > ${now})`;
  const isOver = sql`${ruleRuns.state} IN ('failed', 'skipped') AND ${HAS_NO_JOB} AND ${hasDemo}`;
  const recent = sql`${ruleRuns.createdAt} > ${after}`;
  return db
    .update(ruleRuns)
    .set(revivedAt(now))
    .where(and(eq(ruleRuns.ruleId, ruleId), recent, isOver));
}

/** A run that is not over, its rule, whether it is of a test key, and those of its jobs that the index has. */
export interface OpenRun {
  readonly run: RunRow;
  readonly rule: typeof rules.$inferSelect;
  readonly isTest: number;
  readonly jobs: readonly RunJob[];
}

/** Returns JSON of the jobs of a run, in the order of their submits. */
export const JOBS_OF_RUN = sql<string>`(SELECT json_group_array(
    json_object('id', id, 'status', status, 'error_code', error_code, 'finished_at', finished_at))
  FROM (SELECT * FROM ${jobs} WHERE rule_run = ${ruleRuns.id} ORDER BY created_at, id))`;

const IS_OF_TEST = sql<number>`EXISTS (SELECT 1 FROM ${accounts} a WHERE a.id = ${ruleRuns.accountId} AND a.test_of IS NOT NULL)`;

/** Reads the runs of an upload that are not over, or one run. */
export async function selectOpenRuns(db: Database, of: { uploadId: string } | { runId: string }): Promise<OpenRun[]> {
  const found = await db
    .select({ run: ruleRuns, rule: rules, isTest: IS_OF_TEST, jobs: JOBS_OF_RUN })
    .from(ruleRuns)
    .innerJoin(rules, eq(rules.id, ruleRuns.ruleId))
    .where('runId' in of ? eq(ruleRuns.id, of.runId) : and(eq(ruleRuns.uploadId, of.uploadId), IS_OPEN));
  return found.map((one) => ({ ...one, jobs: JSON.parse(one.jobs) }));
}

/**
 * Reads uploads with runs that can move, in the order of their ids, after a given one. A run of a paused rule or a
 * suspended account moves at its deadline only, a waiting one once no host reads its demo, and one with jobs once they
 * have ended.
 */
export async function selectMovableUploads(
  db: Database,
  { now, runDeadline }: { readonly now: number; readonly runDeadline: number },
  after: string,
  limit: number,
): Promise<string[]> {
  const ofRun = sql`FROM ${jobs} WHERE rule_run = run.id`;
  const isSuspended = sql`EXISTS (SELECT 1 FROM ${accounts} WHERE id = run.account_id AND suspended_at IS NOT NULL)`;
  const found = await db.all<{ id: string }>(sql`
    SELECT DISTINCT upload_id AS id FROM ${ruleRuns} run JOIN ${rules} r ON r.id = run.rule_id
    WHERE upload_id > ${after} AND ${IS_OPEN} AND CASE
      WHEN ended_at IS NOT NULL THEN notice ->> '$.nextAt' <= ${now}
      WHEN state = 'running' THEN NOT EXISTS (SELECT 1 ${ofRun} AND finished_at IS NULL)
        AND (SELECT COUNT(*) ${ofRun}) >= MIN(clips, json_array_length(requests))
      WHEN run.created_at <= ${now - runDeadline} THEN 1
      WHEN r.paused_at IS NOT NULL OR ${isSuspended} THEN 0
      ELSE state = 'submitting' OR NOT EXISTS (SELECT 1 FROM ${jobs} INDEXED BY jobs_uploads
        WHERE account_id = run.account_id AND inspected_upload = run.upload_id AND finished_at IS NULL) END
    ORDER BY upload_id LIMIT ${limit}`);
  return found.map(({ id }) => id);
}

/**
 * Returns what the day of a run's demo has left in the budgets of its rule and of the key that sent it. `keyClips`: of a
 * key of scope `ingest` without its own limit.
 */
function roomOf({ run, rule }: Pick<OpenRun, 'run' | 'rule'>, keyClips: number) {
  const day = run.createdAt - (run.createdAt % DAY_MS);
  const { demos_a_day, clips_a_day } = rule.definition.budget;
  const sum = (what: SQL, of: SQL) => sql`(SELECT COALESCE(SUM(${what}), 0) FROM ${ruleRuns}
    WHERE ${of} AND created_at >= ${day} AND created_at < ${day + DAY_MS})`;
  const ofRule = sql`rule_id = ${rule.id}`;
  const ofKey = sql`(SELECT COALESCE(ingest_limits ->> 'clips', ${keyClips}) FROM ${apiKeys}
    WHERE id = ${run.keyId} AND scope = 'ingest')`;
  const leftOfRule = sql`(${clips_a_day} - ${sum(sql`clips`, ofRule)})`;
  return {
    demos: sql`(${demos_a_day} - ${sum(sql`is_read`, ofRule)})`,
    clips: sql`MIN(${leftOfRule}, COALESCE(${ofKey} - ${sum(sql`clips`, sql`key_id = ${run.keyId}`)}, ${leftOfRule}))`,
  };
}

export async function selectRoom(db: Database, open: OpenRun, keyClips: number): Promise<RunRoom> {
  const { demos, clips } = roomOf(open, keyClips);
  return db.get<RunRoom>(sql`SELECT ${demos} AS demos, ${clips} AS clips`);
}

/**
 * Stores a change of a run, with what it means for its rule. Returns false, and changes nothing, if the run has changed
 * meanwhile, or if the budgets have less room than the run takes.
 */
export async function storeRun(
  db: Database,
  open: Pick<OpenRun, 'run' | 'rule'>,
  { run: next, failures }: RunChange,
  { now, keyClips }: { readonly now: number; readonly keyClips: number },
): Promise<boolean> {
  const { run, rule } = open;
  const { version } = run;
  const isCurrent = and(eq(ruleRuns.id, run.id), eq(ruleRuns.version, version));
  const ofRule = and(eq(rules.id, rule.id), sql`EXISTS (SELECT 1 FROM ${ruleRuns} WHERE ${isCurrent})`);
  const { state, isRead, clips, requests, detail, postedBy, notice, endedAt } = next;
  const fields = { state, isRead, clips, requests, detail, postedBy, notice, endedAt };
  const fits = () => {
    const { demos, clips: left } = roomOf(open, keyClips);
    return sql`${demos} >= 1 AND ${left} >= ${clips}`;
  };
  const change = db
    .update(ruleRuns)
    .set({ ...fields, version: version + 1 })
    .where(and(isCurrent, isRead && !run.isRead ? fits() : undefined))
    .returning({ id: ruleRuns.id });
  const count = failures === 'one-more' ? sql`${rules.failures} + 1` : 0;
  const isUp = and(ofRule, eq(rules.enabled, true), sql`${rules.failures} >= ${MOST_FAILURES}`);
  const paused = { enabled: false, pausedAt: now, pauseReason: pauseReasonOf(detail) };
  const ofFailures = [
    db.update(rules).set({ failures: count }).where(ofRule),
    db.update(rules).set(paused).where(isUp),
  ] as const;
  const results = await (failures ? db.batch([...ofFailures, change]) : db.batch([change]));
  const changed = results.at(-1);
  return Array.isArray(changed) && changed.length > 0;
}

/** Stores which job has the post of a run, because an index that was restored may lack it. */
export async function keepPoster(db: Database, runId: string, jobId: string): Promise<void> {
  const version = sql`${ruleRuns.version} + 1`;
  await db
    .update(ruleRuns)
    .set({ postedBy: jobId, version })
    .where(and(eq(ruleRuns.id, runId), sql`posted_by IS NULL`));
}
