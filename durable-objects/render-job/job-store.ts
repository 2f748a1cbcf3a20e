import { type JobUpgrade, readState, readStoredJob, type StoredJob, type StoredRow, writeState } from './stored-job.ts';
import type { StoredRequest } from './stored-request.ts';

/**
 * The job's own SQLite. State and outbox are one row, so a change writes one row. The table is created with the job, so
 * reading an unknown job stores nothing.
 */
const SQL = {
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'job'",
  create: `
    CREATE TABLE job (
      id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, outbox TEXT NOT NULL, request TEXT NOT NULL)`,
  select: 'SELECT state, outbox, request FROM job',
  insert: 'INSERT INTO job (id, state, outbox, request) VALUES (1, ?, ?, ?)',
  update: 'UPDATE job SET state = ?, outbox = ?',
  updateRequest: 'UPDATE job SET request = ?',
} as const;

export type JobStorage = Pick<DurableObjectStorage, 'sql' | 'transactionSync' | 'setAlarm' | 'deleteAlarm'>;

export interface JobStore {
  /** Returns the committed job, upgraded to this version; null if there is none. */
  load(): StoredJob | null;
  create(stored: StoredJob): void;
  save(stored: StoredJob): void;
  saveRequest(request: StoredRequest): void;
}

/** From version 1 to 2 and so on: one fewer than versions (core/domain/lib/types.ts). */
const UPGRADES: readonly JobUpgrade[] = [];

/** `upgrades`: replaced only in tests. */
export function createJobStore(
  storage: Pick<JobStorage, 'sql' | 'transactionSync'>,
  upgrades: readonly JobUpgrade[] = UPGRADES,
): JobStore {
  const { sql } = storage;
  const current = upgrades.length + 1;
  const save = (stored: StoredJob): void => {
    const { state, outbox } = writeState(stored, current);
    sql.exec(SQL.update, state, outbox);
  };
  return {
    load(): StoredJob | null {
      if (sql.exec(SQL.hasTable).toArray().length === 0) return null;
      const [row] = sql.exec<StoredRow & Record<string, string>>(SQL.select).toArray();
      if (!row) return null;
      const { version, state } = readState(row, current);
      if (version === current) return readStoredJob(row, state);
      return storage.transactionSync(() => {
        const upgraded = upgrades.slice(version - 1).reduce((before, upgrade) => upgrade(before, sql), state);
        const stored = readStoredJob(row, upgraded);
        save(stored);
        return stored;
      });
    },

    create(stored: StoredJob): void {
      sql.exec(SQL.create);
      const { state, outbox } = writeState(stored, current);
      sql.exec(SQL.insert, state, outbox, JSON.stringify(stored.request));
    },

    save,

    saveRequest(request: StoredRequest): void {
      sql.exec(SQL.updateRequest, JSON.stringify(request));
    },
  };
}
