import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { RUN_STATES, type RunNotice } from '#domain/job/rule-run.ts';
import type { Rule, RuleRequest } from '#protocol/rule/rules.ts';

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
    /** Failed runs in a row. */
    failures: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('rules_account').on(table.accountId, table.createdAt, table.id)],
);

/**
 * A run that is not over: it waits, has jobs, or has a webhook to send. A literal, because SQLite does not choose a
 * partial index by a bound value.
 */
export const IS_OPEN = sql`(ended_at IS NULL OR notice IS NOT NULL)`;

/** What each rule does with each demo, kept for 90 days. */
export const ruleRuns = sqliteTable(
  'rule_runs',
  {
    /** Made of rule and content. */
    id: text().primaryKey(),
    /** Grows with every change. */
    version: integer().notNull().default(1),
    ruleId: text('rule_id').notNull(),
    accountId: text('account_id').notNull(),
    uploadId: text('upload_id').notNull(),
    /** The key that sent the demo. */
    keyId: text('key_id'),
    // The rest is the run of the machine (core/domain/job/rule-run.ts).
    state: text({ enum: RUN_STATES }).notNull(),
    isRead: integer('is_read', { mode: 'boolean' }).notNull().default(false),
    clips: integer().notNull().default(0),
    requests: text({ mode: 'json' }).$type<readonly object[]>().notNull().default([]),
    detail: text(),
    postedBy: text('posted_by'),
    notice: text({ mode: 'json' }).$type<RunNotice>(),
    createdAt: integer('created_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (table) => [
    index('rule_runs_rule').on(table.ruleId, table.createdAt, table.clips, table.isRead),
    index('rule_runs_key').on(table.keyId, table.createdAt, table.clips),
    index('rule_runs_account').on(table.accountId, table.createdAt, table.id),
    index('rule_runs_created').on(table.createdAt),
    index('rule_runs_open').on(table.uploadId).where(IS_OPEN),
  ],
);
