import { sql } from 'drizzle-orm';
import type { PostedClip } from '#protocol/discord-message.ts';
import type { Database } from './database.ts';
import { ruleRuns, rules } from './rules-schema.ts';
import { accounts, clips, jobs } from './schema.ts';

type Row = Omit<PostedClip, 'facts' | 'isTest'> &
  Record<'discordUrl', string> & { facts: string | null; submittedAt: number; isTest: 0 | 1 };

/**
 * Returns what the post of a run sends now: its ready clips, in the order of their jobs, each with the rule's address.
 * Returns none if rule or address is gone, or the account is suspended or being erased.
 */
export async function selectPost(db: Database, runId: string): Promise<(PostedClip & Pick<Row, 'discordUrl'>)[]> {
  const rows = await db.all<Row>(sql`
    SELECT r.send ->> '$.discord_url' AS discordUrl, c.id, c.title, c.facts, c.duration_seconds AS durationSeconds,
      c.video_key AS videoKey, c.video_bytes AS videoBytes, j.created_at AS submittedAt, j.is_test AS isTest
    FROM ${ruleRuns} run JOIN ${rules} r ON r.id = run.rule_id
      JOIN ${accounts} a ON a.id = run.account_id AND a.suspended_at IS NULL AND a.erasing_at IS NULL
      JOIN ${jobs} j ON j.rule_run = run.id JOIN ${clips} c ON c.id = j.clip_id AND c.state = 'ready'
    WHERE run.id = ${runId} AND discordUrl IS NOT NULL`);
  const inOrder = rows.toSorted((a, b) => a.submittedAt - b.submittedAt);
  return inOrder.map(({ facts, isTest, ...clip }) => ({
    ...clip,
    facts: facts === null ? null : JSON.parse(facts),
    ...(isTest ? { isTest: true } : {}),
  }));
}
