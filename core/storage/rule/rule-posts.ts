import { sql } from 'drizzle-orm';
import type { PostedClip } from '#protocol/job/discord.ts';
import type { Database } from '../lib/database.ts';
import { isOneOf } from '../lib/rows.ts';
import { ruleRuns, rules } from '../schema/rules.ts';
import { accounts, clips, jobs } from '../schema/schema.ts';

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
