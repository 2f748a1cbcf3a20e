import { type EndedAttempt, fieldsOf, type Job, type KeptAttempt, KeptAttemptShape, leaseOf } from '#domain/job/job.ts';

/** Returns the attempt that a change ended; null if none, or if it made the clip. */
export function endedAttempt(before: Job, after: Job, endedAt: number): Omit<KeptAttempt, 'log'> | null {
  const { run, attempt } = before;
  const lease = leaseOf(before);
  if (!lease || leaseOf(after)?.fence === lease.fence || after.status === 'done') return null;
  const { fence, hostId, grantedAt, isConfirmed } = lease;
  const { errorCode: code, errorDetail: detail } = fieldsOf(after);
  const unconfirmed = { ...NOT_TOLD, outcome: 'handed_back', fence, hostId, grantedAt, endedAt, code } as const;
  const known = after.lastEnd?.fence === fence ? after.lastEnd : unconfirmed;
  return { ...known, run, attempt, isConfirmed, detail };
}

const NOT_TOLD = { hostName: null, phase: 'prefetch', stage: null, facts: null, retryAt: null } as const;

/** Attempts that are kept. A run has six, and those that were released. */
const KEPT = 20;

/** Created with the first failed attempt: most jobs have none. */
const SQL = {
  create: 'CREATE TABLE IF NOT EXISTS attempts (number INTEGER PRIMARY KEY, entry TEXT NOT NULL)',
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'attempts'",
  add: 'INSERT INTO attempts (entry) VALUES (?)',
  prune: 'DELETE FROM attempts WHERE number <= (SELECT MAX(number) FROM attempts) - ?',
  forget: 'DROP TABLE IF EXISTS attempts',
  all: 'SELECT entry FROM attempts ORDER BY number',
} as const;

/** Call it in the transaction of the change that ends the attempt. */
export function addAttempt(sql: SqlStorage, entry: KeptAttempt): void {
  sql.exec(SQL.create);
  sql.exec(SQL.add, JSON.stringify(entry));
  sql.exec(SQL.prune, KEPT);
}

export function forgetAttempts(sql: SqlStorage): void {
  sql.exec(SQL.forget);
}

/** Returns the latest attempts, oldest first. */
export function listAttempts(sql: SqlStorage): KeptAttempt[] {
  if (sql.exec(SQL.hasTable).toArray().length === 0) return [];
  return sql
    .exec<{ entry: string }>(SQL.all)
    .toArray()
    .map(({ entry }) => KeptAttemptShape.parse(JSON.parse(entry)));
}

/** Returns the confirmed attempts of the present run, for the client. The one that made the clip is in the job. */
export function attemptsOfRun(sql: SqlStorage, { run, lastEnd }: Job): readonly EndedAttempt[] {
  const failed = listAttempts(sql).filter((one) => one.run === run && one.isConfirmed);
  return lastEnd?.outcome === 'completed' ? [...failed, lastEnd] : failed;
}
