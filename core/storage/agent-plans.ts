import { and, eq, sql } from 'drizzle-orm';
import { DAY_MS } from '#domain/metering.ts';
import type { Database } from './database.ts';
import { agentPlans } from './schema.ts';

type AgentPlan = typeof agentPlans.$inferSelect;
export type NewAgentPlan = Pick<AgentPlan, 'id' | 'request' | 'planSha256' | 'length'>;

/** Stores plans of an account. Returns false, and stores none, if the account has made `most` plans since a time. */
export async function insertAgentPlans(
  db: Database,
  plans: readonly NewAgentPlan[],
  { accountId, now, since, most }: { accountId: string; now: number; since: number; most: number },
): Promise<boolean> {
  const rows = plans.map((plan) => ({ ...plan, request: JSON.stringify(plan.request) }));
  const made = await db.all(sql`
    INSERT INTO ${agentPlans} (id, account_id, request, plan_sha256, length, created_at)
    SELECT value ->> 'id', ${accountId}, value ->> 'request', value ->> 'planSha256', value ->> 'length', ${now}
    FROM json_each(${JSON.stringify(rows)})
    WHERE (SELECT COUNT(*) FROM ${agentPlans} WHERE account_id = ${accountId} AND created_at > ${since}) < ${most}
    RETURNING id`);
  return made.length === plans.length;
}

export async function findAgentPlan(db: Database, accountId: string, id: string): Promise<AgentPlan | null> {
  const mine = and(eq(agentPlans.id, id), eq(agentPlans.accountId, accountId));
  return (await db.select().from(agentPlans).where(mine).get()) ?? null;
}

const dayOf = (now: number) => now - (now % DAY_MS);

/** The length of the claimed plans of an account on the day (UTC) of a time. */
const claimedOn = (accountId: string, now: number) =>
  sql`(SELECT COALESCE(SUM(length), 0) FROM ${agentPlans} WHERE account_id = ${accountId} AND claims > 0
    AND claimed_at >= ${dayOf(now)})`;

/** Returns how many milliseconds of clip the account has claimed on the day (UTC) of a time. */
export async function sumClaimed(db: Database, accountId: string, now: number): Promise<number> {
  return (await db.get<{ sum: number }>(sql`SELECT ${claimedOn(accountId, now)} AS sum`)).sum;
}

/**
 * Claims a plan for a call that submits it. Returns false, and changes nothing, if the plans claimed on the day (UTC)
 * would be longer than `budget` (milliseconds). A plan counts once, on the day of its last claim.
 */
export async function claimAgentPlan(
  db: Database,
  { id, accountId }: Pick<AgentPlan, 'id' | 'accountId'>,
  { budget, now }: { readonly budget: number; readonly now: number },
): Promise<boolean> {
  const claimed = await db.all(sql`
    UPDATE ${agentPlans} SET claims = claims + 1, claimed_at = ${now}
    WHERE id = ${id} AND account_id = ${accountId}
      AND IIF(claims > 0 AND claimed_at >= ${dayOf(now)}, 0, length) + ${claimedOn(accountId, now)} <= ${budget}
    RETURNING id`);
  return claimed.length > 0;
}

/** Ends the claim of a call whose submit was refused. The plan stays claimed while another call has a claim. */
export async function releaseAgentPlan(db: Database, id: string): Promise<void> {
  await db.run(sql`UPDATE ${agentPlans} SET claims = claims - 1 WHERE id = ${id} AND claims > 0`);
}
