import type { AttemptResult, Delivery } from '../../domain/delivery.ts';
import type { Job } from '../../domain/job.ts';
import type { OutboxEntry } from '../../domain/outbox.ts';
import type { StoredRequest } from '../../protocol/stored-request.ts';

/** Everything of a job that commits together, but its deliveries. */
export interface StoredJob {
  readonly job: Job;
  readonly request: StoredRequest;
  readonly outbox: readonly OutboxEntry[];
}

/** A delivery with what is sent: the body and the target as they were when the outcome was known. */
export interface StoredDelivery extends Delivery {
  readonly url: string;
  readonly authHeader: string | null;
  readonly body: string;
}

export interface DeliveryAttempt extends AttemptResult {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly at: number;
}

/**
 * The job's own SQLite. State and outbox are one row: a change of the job is one written row. The job's table is made
 * with the job itself, so that asking for a job that never was leaves nothing behind, and those of its webhooks with
 * the first one: making a table writes rows too.
 */
const SQL = {
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
  createJob: `
    CREATE TABLE job (
      id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL, outbox TEXT NOT NULL, request TEXT NOT NULL)`,
  createDeliveries: `
    CREATE TABLE IF NOT EXISTS deliveries (
      id TEXT PRIMARY KEY, run INTEGER NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL, next_at INTEGER,
      created_at INTEGER NOT NULL, url TEXT NOT NULL, auth_header TEXT, body TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS delivery_attempts (
      delivery_id TEXT NOT NULL, attempt INTEGER NOT NULL, at INTEGER NOT NULL, status INTEGER, error TEXT,
      PRIMARY KEY (delivery_id, attempt)) WITHOUT ROWID;`,
  selectJob: 'SELECT state, outbox, request FROM job',
  insertJob: 'INSERT INTO job (id, state, outbox, request) VALUES (1, ?, ?, ?)',
  updateJob: 'UPDATE job SET state = ?, outbox = ?',
  updateRequest: 'UPDATE job SET request = ?',
  selectDeliveries: 'SELECT * FROM deliveries ORDER BY rowid',
  nextDeliveryAt: 'SELECT MIN(next_at) AS due FROM deliveries',
  upsertDelivery: `
    INSERT INTO deliveries (id, run, status, attempts, next_at, created_at, url, auth_header, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, attempts = excluded.attempts, next_at = excluded.next_at`,
  upsertAttempt: `
    INSERT INTO delivery_attempts (delivery_id, attempt, at, status, error) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (delivery_id, attempt) DO UPDATE SET status = excluded.status, error = excluded.error`,
  selectAttempts: 'SELECT delivery_id, attempt, at, status, error FROM delivery_attempts ORDER BY at, attempt',
} as const;

type DeliveryRow = {
  id: string;
  run: number;
  status: Delivery['status'];
  attempts: number;
  next_at: number | null;
  created_at: number;
  url: string;
  auth_header: string | null;
  body: string;
};

type AttemptRow = { delivery_id: string; attempt: number; at: number; status: number | null; error: string | null };

export type JobStore = ReturnType<typeof createJobStore>;

export function createJobStore(sql: SqlStorage) {
  const has = (table: string) => sql.exec(SQL.hasTable, table).toArray().length > 0;
  // Asked each time: a transaction that is rolled back takes its tables along.
  const hasDeliveries = () => has('deliveries');
  return {
    load(): StoredJob | null {
      if (!has('job')) return null;
      const [row] = sql.exec<{ state: string; outbox: string; request: string }>(SQL.selectJob).toArray();
      if (!row) return null;
      return { job: JSON.parse(row.state), outbox: JSON.parse(row.outbox), request: JSON.parse(row.request) };
    },

    create(stored: StoredJob): void {
      sql.exec(SQL.createJob);
      sql.exec(
        SQL.insertJob,
        JSON.stringify(stored.job),
        JSON.stringify(stored.outbox),
        JSON.stringify(stored.request),
      );
    },

    save(stored: Pick<StoredJob, 'job' | 'outbox'>): void {
      sql.exec(SQL.updateJob, JSON.stringify(stored.job), JSON.stringify(stored.outbox));
    },

    saveRequest(request: StoredRequest): void {
      sql.exec(SQL.updateRequest, JSON.stringify(request));
    },

    /** Oldest first. */
    deliveries(): StoredDelivery[] {
      if (!hasDeliveries()) return [];
      return sql
        .exec<DeliveryRow>(SQL.selectDeliveries)
        .toArray()
        .map(({ next_at, created_at, auth_header, ...row }) => ({
          ...row,
          nextAt: next_at,
          createdAt: created_at,
          authHeader: auth_header,
        }));
    },

    /** When the next attempt of any delivery is due; null when none is. */
    nextDeliveryAt(): number | null {
      if (!hasDeliveries()) return null;
      return sql.exec<{ due: number | null }>(SQL.nextDeliveryAt).one().due;
    },

    saveDelivery(delivery: StoredDelivery): void {
      if (!hasDeliveries()) sql.exec(SQL.createDeliveries);
      const { id, run, status, attempts, nextAt, createdAt, url, authHeader, body } = delivery;
      sql.exec(SQL.upsertDelivery, id, run, status, attempts, nextAt, createdAt, url, authHeader, body);
    },

    saveAttempt({ deliveryId, attempt, at, status, error }: DeliveryAttempt): void {
      sql.exec(SQL.upsertAttempt, deliveryId, attempt, at, status, error);
    },

    attempts(): DeliveryAttempt[] {
      if (!hasDeliveries()) return [];
      return sql
        .exec<AttemptRow>(SQL.selectAttempts)
        .toArray()
        .map(({ delivery_id, ...row }) => ({ ...row, deliveryId: delivery_id }));
    },
  };
}
