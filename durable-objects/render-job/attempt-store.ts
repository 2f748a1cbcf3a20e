import type { ErrorCode } from '../../domain/error-codes.ts';
import type { Job } from '../../domain/job.ts';

/** An attempt that made no clip. Times are milliseconds since the epoch. */
export interface EndedAttempt {
  readonly run: number;
  readonly attempt: number;
  readonly hostId: string;
  readonly grantedAt: number;
  readonly endedAt: number;
  /** Null where the host gave the job back, or never had it. */
  readonly code: ErrorCode | null;
  readonly detail: string | null;
  /** The end of the host's log, where it sent one. */
  readonly log: string | null;
}

/** What has ended by a change of a job; null where nothing has, or it made the clip. */
export function endedAttempt(before: Job, after: Job, endedAt: number): Omit<EndedAttempt, 'log'> | null {
  const { lease, run, attempt } = before;
  if (!lease || after.lease?.fence === lease.fence || after.status === 'done') return null;
  const { hostId, grantedAt } = lease;
  const isFailed = after.status === 'retrying' || after.status === 'error';
  const [code, detail] = isFailed ? [after.errorCode, after.errorDetail] : [null, null];
  return { run, attempt, hostId, grantedAt, endedAt, code, detail };
}

/** Attempts of a job that are kept: for the operator alone, who looks at the last ones. */
const KEPT = 20;

/** Made with the first attempt that fails: most jobs have none. The version before leaves the table alone. */
const SQL = {
  create: 'CREATE TABLE IF NOT EXISTS attempts (number INTEGER PRIMARY KEY, entry TEXT NOT NULL)',
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'attempts'",
  add: 'INSERT INTO attempts (entry) VALUES (?)',
  prune: 'DELETE FROM attempts WHERE number <= (SELECT MAX(number) FROM attempts) - ?',
  forget: 'DROP TABLE IF EXISTS attempts',
  all: 'SELECT entry FROM attempts ORDER BY number',
} as const;

/** Belongs into the transaction of the change that ends the attempt. */
export function addAttempt(sql: SqlStorage, entry: EndedAttempt): void {
  sql.exec(SQL.create);
  sql.exec(SQL.add, JSON.stringify(entry));
  sql.exec(SQL.prune, KEPT);
}

export function forgetAttempts(sql: SqlStorage): void {
  sql.exec(SQL.forget);
}

/** The last ones, oldest first. */
export function listAttempts(sql: SqlStorage): EndedAttempt[] {
  if (sql.exec(SQL.hasTable).toArray().length === 0) return [];
  return sql
    .exec<{ entry: string }>(SQL.all)
    .toArray()
    .map(({ entry }) => JSON.parse(entry));
}
