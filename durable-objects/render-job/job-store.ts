import { upgradeDeliveries } from './delivery-store.ts';
import { readStoredJob, STATE_VERSION, type StoredJob, type StoredRow, writeState } from './stored-job.ts';
import type { StoredRequest } from './stored-request.ts';

/**
 * The job's own SQLite. State and outbox are one row: a change of the job is one written row. The table is made with
 * the job itself, so that asking for a job that never was leaves nothing behind.
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
  /** The job as it was committed last, brought up to this version; null where there is none. */
  load(): StoredJob | null;
  create(stored: StoredJob): void;
  save(stored: StoredJob): void;
  saveRequest(request: StoredRequest): void;
}

export function createJobStore(storage: Pick<JobStorage, 'sql' | 'transactionSync'>): JobStore {
  const { sql } = storage;
  const save = (stored: StoredJob): void => {
    const { state, outbox } = writeState(stored);
    sql.exec(SQL.update, state, outbox);
  };
  return {
    load(): StoredJob | null {
      if (sql.exec(SQL.hasTable).toArray().length === 0) return null;
      const [row] = sql.exec<StoredRow & Record<string, string>>(SQL.select).toArray();
      if (!row) return null;
      const { stored, version } = readStoredJob(row);
      if (version < STATE_VERSION) {
        storage.transactionSync(() => {
          if (version < 4) upgradeDeliveries(sql, stored.job.run);
          save(stored);
        });
      }
      return stored;
    },

    create(stored: StoredJob): void {
      sql.exec(SQL.create);
      const { state, outbox } = writeState(stored);
      sql.exec(SQL.insert, state, outbox, JSON.stringify(stored.request));
    },

    save,

    saveRequest(request: StoredRequest): void {
      sql.exec(SQL.updateRequest, JSON.stringify(request));
    },
  };
}
