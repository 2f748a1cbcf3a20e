import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { RUN_STATES, type Rule, type RuleRequest } from '#protocol/rules.ts';

export type RuleDefinition = Pick<Rule, 'when' | 'render' | 'options' | 'budget'>;

export const rules = sqliteTable(
  'rules',
  {
    id: text().primaryKey(),
    accountId: text('account_id').notNull(),
    name: text().notNull(),
    /** The key that it acts with. */
    keyId: text('key_id').notNull(),
    definition: text({ mode: 'json' }).$type<RuleDefinition>().notNull(),
    /** Has secrets. */
    send: text({ mode: 'json' }).$type<NonNullable<RuleRequest['send']>>().notNull(),
    enabled: integer({ mode: 'boolean' }).notNull(),
    /** Null unless the service disabled it. */
    pausedAt: integer('paused_at'),
    pauseReason: text('pause_reason'),
    /** Failed runs in a row, counted by triggers. */
    failures: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('rules_account').on(table.accountId, table.createdAt, table.id)],
);

/** What each rule does with each demo, kept for 90 days. */
export const ruleRuns = sqliteTable(
  'rule_runs',
  {
    /** Made of rule and content. */
    id: text().primaryKey(),
    ruleId: text('rule_id').notNull(),
    accountId: text('account_id').notNull(),
    /** The SHA-256 of the demo; the upload's id if there is none. */
    content: text().notNull(),
    uploadId: text('upload_id').notNull(),
    /** The key that sent the demo. */
    keyId: text('key_id'),
    state: text({ enum: RUN_STATES }).notNull(),
    /** How many of the requests become jobs. */
    clips: integer().notNull().default(0),
    requests: text({ mode: 'json' }).$type<readonly object[]>().notNull().default([]),
    detail: text(),
    /** The job that sends the post. */
    postedBy: text('posted_by'),
    /** When the demo came. It counts towards the budgets of that day. */
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    uniqueIndex('rule_runs_content').on(table.ruleId, table.content),
    index('rule_runs_rule').on(table.ruleId, table.createdAt, table.clips),
    index('rule_runs_key').on(table.keyId, table.createdAt, table.clips),
    index('rule_runs_account').on(table.accountId, table.createdAt, table.id),
    index('rule_runs_created').on(table.createdAt),
    index('rule_runs_open').on(table.uploadId).where(sql`${table.state} IN ('waiting', 'submitting')`),
  ],
);
