import { and, asc, eq, getTableColumns } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { RowKey } from '#protocol/key-cursor.ts';
import type { Database } from './database.ts';
import { isBehind, isOneOf } from './rows.ts';
import { accounts, apiKeys, assets, jobs, uploads } from './schema.ts';
import { accountSums, unbilledRuns, usage, usageDays } from './usage-schema.ts';
import { webhookSecrets } from './webhook-secrets-schema.ts';

interface ExportedTable {
  readonly table: SQLiteTable;
  readonly owner: SQLiteColumn;
  /** The order of its pages: an index begins with the owner and these. */
  readonly order: readonly SQLiteColumn[];
  /** Columns that are left out: they are secret, or mean nothing to the account. */
  readonly without: readonly string[];
}

function owned<Table extends SQLiteTable & Readonly<Record<Column, SQLiteColumn>>, Column extends keyof Table & string>(
  table: Table & { accountId: SQLiteColumn },
  order: readonly Column[],
  without: readonly string[] = [],
): ExportedTable {
  return { table, owner: table.accountId, order: order.map((column) => table[column]), without };
}

/** The tables of an export, in its order. Each job brings its rows of `clips` and `usage`. */
export const EXPORTED: Readonly<Record<string, ExportedTable>> = {
  accounts: { table: accounts, owner: accounts.id, order: [accounts.id], without: ['id_salt'] },
  account_sums: owned(accountSums, ['accountId']),
  api_keys: owned(apiKeys, ['createdAt', 'id'], ['sha256']),
  webhook_secrets: owned(webhookSecrets, ['createdAt', 'id']),
  assets: owned(assets, ['bytes', 'id']),
  uploads: owned(uploads, ['createdAt', 'id'], ['multipart_id', 'parts']),
  usage_days: owned(usageDays, ['day', 'tier', 'resolution', 'fps', 'renderer']),
  unbilled_runs: owned(unbilledRuns, ['day', 'jobId', 'run']),
  jobs: owned(jobs, ['mode', 'createdAt', 'id']),
};

/** A row by the names of its columns. */
export type ExportedRow = Readonly<Record<string, unknown>>;

/** Reads rows of an account in a table, after a key. */
export async function selectExported(
  db: Database,
  { table, owner, order, without }: ExportedTable,
  accountId: string,
  after: RowKey,
  limit: number,
): Promise<ExportedRow[]> {
  const columns = Object.values<SQLiteColumn>(getTableColumns(table)).filter(({ name }) => !without.includes(name));
  return db
    .select(Object.fromEntries(columns.map((column) => [column.name, column])))
    .from(table)
    .where(and(eq(owner, accountId), after.length > 0 ? isBehind(order, after) : undefined))
    .orderBy(...order.map((column) => asc(column)))
    .limit(limit);
}

/** Reads the runs of jobs that were metered and are still kept. */
export async function selectRuns(db: Database, jobIds: readonly string[]): Promise<ExportedRow[]> {
  const { jobId: job_id, run, seconds, renderedAt: rendered_at } = usage;
  return db.select({ job_id, run, seconds, rendered_at }).from(usage).where(isOneOf(usage.jobId, jobIds));
}
