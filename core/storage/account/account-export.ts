import { and, getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { RowKey } from '#protocol/lib/lists.ts';
import { type Database, isBehind, isOneOf } from '../lib/database.ts';
import { ruleRuns, rules } from '../schema/rules.ts';
import { accounts, apiKeys, assets, jobs, refusedDemos, uploads } from '../schema/schema.ts';
import { budgets, usage, usageDays, webhookSecrets } from '../schema/usage.ts';

interface ExportedTable {
  readonly table: SQLiteTable;
  /** The column of the account; by default `account_id`. */
  readonly owner?: string;
  /** The columns by which its pages are ordered: an index begins with the owner and these. */
  readonly order: readonly string[];
  /** Columns that are left out: they are secret, or mean nothing to the account. */
  readonly without?: readonly string[];
}

/** The tables of an export, in its order. Each job brings its rows of `clips` and `usage`. */
export const EXPORTED: Readonly<Record<string, ExportedTable>> = {
  accounts: { table: accounts, owner: 'id', order: ['id'], without: ['id_salt'] },
  budgets: { table: budgets, owner: 'owner', order: ['name'] },
  api_keys: { table: apiKeys, order: ['created_at', 'id'], without: ['sha256'] },
  webhook_secrets: { table: webhookSecrets, order: ['created_at', 'id'] },
  assets: { table: assets, order: ['id'] },
  uploads: { table: uploads, order: ['created_at', 'id'], without: ['multipart_id', 'parts'] },
  refused_demos: { table: refusedDemos, order: ['refused_at', 'key_id', 'name', 'status'] },
  rules: { table: rules, order: ['created_at', 'id'], without: ['send'] },
  rule_runs: { table: ruleRuns, order: ['created_at', 'id'] },
  usage_days: { table: usageDays, order: ['day', 'tier', 'resolution', 'fps', 'renderer'] },
  jobs: { table: jobs, order: ['mode', 'created_at', 'id'] },
};

/** A row by the names of its columns. */
export type ExportedRow = Readonly<Record<string, unknown>>;

/** Reads rows of an account in a table, after a key. */
export async function selectExported(
  db: Database,
  { table, owner = 'account_id', order, without = [] }: ExportedTable,
  accountId: string,
  after: RowKey,
  limit: number,
): Promise<ExportedRow[]> {
  const columns = Object.values<SQLiteColumn>(getTableColumns(table)).filter(({ name }) => !without.includes(name));
  const by = order.map((name) => sql`${sql.identifier(name)}`);
  return db
    .select(Object.fromEntries(columns.map((column) => [column.name, column])))
    .from(table)
    .where(and(sql`${sql.identifier(owner)} = ${accountId}`, after.length > 0 ? isBehind(by, after) : undefined))
    .orderBy(...by)
    .limit(limit);
}

/** Reads the runs of jobs that were metered and are still kept. */
export async function selectRuns(db: Database, jobIds: readonly string[]): Promise<ExportedRow[]> {
  const { jobId: job_id, run, seconds, renderedAt: rendered_at } = usage;
  return db.select({ job_id, run, seconds, rendered_at }).from(usage).where(isOneOf(usage.jobId, jobIds));
}
