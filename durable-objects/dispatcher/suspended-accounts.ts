import type { QueueStorage } from './queue-tables.ts';

/** Jobs of suspended accounts are in lanes of their own: the usual lanes plus this number. */
export const SUSPENDED_LANES = 10;

const SQL = {
  create: 'CREATE TABLE IF NOT EXISTS suspended (account_id TEXT PRIMARY KEY) WITHOUT ROWID',
  all: 'SELECT account_id FROM suspended',
  add: 'INSERT OR IGNORE INTO suspended (account_id) VALUES (?)',
  remove: 'DELETE FROM suspended WHERE account_id = ?',
  hold: `UPDATE ready SET lane = lane + ${SUSPENDED_LANES} WHERE account_id = ? AND lane < ${SUSPENDED_LANES}`,
  lanes: `SELECT DISTINCT lane FROM ready WHERE account_id = ? AND lane >= ${SUSPENDED_LANES}`,
  lag: `SELECT clocks.vt - MIN(ready.vt) AS lag FROM ready JOIN clocks ON clocks.lane = ready.lane - ${SUSPENDED_LANES}
    WHERE ready.account_id = ? AND ready.lane = ?`,
  resume: `UPDATE ready SET lane = lane - ${SUSPENDED_LANES}, vt = vt + ? WHERE account_id = ? AND lane = ?`,
  delayTag: 'UPDATE tags SET vt = vt + ? WHERE account_id = ? AND lane = ?',
} as const;

export interface SuspendedAccounts {
  has(accountId: string): boolean;
  all(): readonly string[];
  /** Moves an account's jobs out of the served lanes, or back; in a transaction. Repeatable. */
  set(accountId: string, isSuspended: boolean): void;
}

/** The accounts that an operator has suspended. */
export function createSuspendedAccounts(sql: QueueStorage['sql']): SuspendedAccounts {
  sql.exec(SQL.create);
  const rows = sql.exec<{ account_id: string }>(SQL.all).toArray();
  const suspended = new Set(rows.map(({ account_id }) => account_id));
  return {
    has: (accountId) => suspended.has(accountId),
    all: () => [...suspended],

    set(accountId, isSuspended) {
      if (isSuspended) {
        suspended.add(accountId);
        sql.exec(SQL.add, accountId);
        sql.exec(SQL.hold, accountId);
        return;
      }
      suspended.delete(accountId);
      sql.exec(SQL.remove, accountId);
      for (const { lane } of sql.exec<{ lane: number }>(SQL.lanes, accountId).toArray()) {
        // The jobs keep their order and start at the clock of their lane: an account gains no turns by waiting.
        const lag = Math.max(0, sql.exec<{ lag: number | null }>(SQL.lag, accountId, lane).one().lag ?? 0);
        sql.exec(SQL.resume, lag, accountId, lane);
        sql.exec(SQL.delayTag, lag, accountId, lane - SUSPENDED_LANES);
      }
    },
  };
}
