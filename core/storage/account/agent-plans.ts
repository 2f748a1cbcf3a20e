import { and, eq, type SQL, sql } from 'drizzle-orm';
import { giveBack, take } from '../lib/budgets.ts';
import type { Database } from '../lib/database.ts';
import { agentPlans } from '../schema/schema.ts';

type AgentPlan = typeof agentPlans.$inferSelect;
export type NewAgentPlan = Pick<AgentPlan, 'id' | 'request' | 'planSha256' | 'length'>;

/** Stores plans of an account. Returns false, and stores none, if the account would make more than `most` in an hour. */
export async function insertAgentPlans(
  db: Database,
  plans: readonly NewAgentPlan[],
  { accountId, now, most }: { accountId: string; now: number; most: number },
): Promise<boolean> {
  const rows = plans.map((plan) => ({ ...plan, request: JSON.stringify(plan.request) }));
  const use = { owner: accountId, name: 'plans', at: now, amount: rows.length, most } as const;
  // In the order of the columns.
  const made = sql`SELECT value ->> 'id', ${accountId}, value ->> 'request', value ->> 'planSha256', value ->> 'length',
    ${now}, 0, NULL FROM json_each(${JSON.stringify(rows)})`;
  const insert = (hasRoom: SQL) => db.insert(agentPlans).select(sql`${made} WHERE ${hasRoom}`);
  return take(db, [use], (hasRoom) => insert(hasRoom).returning({ id: agentPlans.id }));
}

export async function findAgentPlan(db: Database, accountId: string, id: string): Promise<AgentPlan | null> {
  const mine = and(eq(agentPlans.id, id), eq(agentPlans.accountId, accountId));
  return (await db.select().from(agentPlans).where(mine).get()) ?? null;
}

/**
 * Claims a plan for a call that submits it. Returns false, and changes nothing, if the plans claimed on the day (UTC)
 * would be longer than `budget` (milliseconds). A plan counts once, on the day of its first claim.
 */
export async function claimAgentPlan(
  db: Database,
  { id, accountId, length }: Pick<AgentPlan, 'id' | 'accountId' | 'length'>,
  { budget, now }: { readonly budget: number; readonly now: number },
): Promise<boolean> {
  const use = { owner: accountId, name: 'agent_seconds_a_day', at: now, amount: length, most: budget } as const;
  const claim = (when: SQL) =>
    db
      .update(agentPlans)
      .set({ claims: sql`claims + 1`, claimedAt: sql`IIF(claims = 0, ${now}, claimed_at)` })
      .where(and(eq(agentPlans.id, id), eq(agentPlans.accountId, accountId), when))
      .returning({ id: agentPlans.id });
  if (await take(db, [use], (hasRoom) => claim(sql`claims = 0 AND ${hasRoom}`))) return true;
  return (await claim(sql`claims > 0`)).length > 0;
}

/** Ends the claim of a call whose submit was refused. The plan stays claimed while another call has a claim. */
export async function releaseAgentPlan(db: Database, id: string): Promise<void> {
  const where = sql`id = ${id} AND claims = 1`;
  await db.batch([
    giveBack(db, { table: agentPlans, where, of: [['agent_seconds_a_day', sql`length`]], at: sql`claimed_at` }),
    db.update(agentPlans).set({ claims: sql`claims - 1` }).where(sql`id = ${id} AND claims > 0`),
  ]);
}
