import type { AttemptResult, Delivery } from '../../domain/delivery.ts';
import type { DeliveryRecord } from '../../protocol/delivery-view.ts';

/** What the deliveries of one run carry: the outcome and its target as they were when it was known. */
export interface StoredOutcome {
  readonly run: number;
  readonly event: string;
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
 * The tables of a job's webhooks, made with the first one: making a table writes rows too. A body is stored once a run,
 * however often it is sent; what is due is found by an index.
 */
const CREATE = `
  CREATE TABLE outcomes (
    run INTEGER PRIMARY KEY, event TEXT NOT NULL, url TEXT NOT NULL, auth_header TEXT, body TEXT NOT NULL);
  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, status TEXT NOT NULL,
    attempts INTEGER NOT NULL, next_at INTEGER, created_at INTEGER NOT NULL);
  CREATE INDEX deliveries_due ON deliveries (next_at) WHERE next_at IS NOT NULL;`;

const CREATE_ATTEMPTS = `
  CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL, attempt INTEGER NOT NULL, at INTEGER NOT NULL, status INTEGER, error TEXT,
    PRIMARY KEY (delivery_id, attempt)) WITHOUT ROWID;`;

/** Version 1 had the body, the address and the header in each delivery, and no index. */
const UPGRADE_1 = `
  ALTER TABLE deliveries RENAME TO deliveries_1;
  ${CREATE}
  INSERT INTO outcomes (run, event, url, auth_header, body)
    SELECT run, json_extract(body, '$.event'), url, auth_header, body FROM deliveries_1
    WHERE rowid IN (SELECT MIN(rowid) FROM deliveries_1 GROUP BY run);
  INSERT INTO deliveries (id, run, status, attempts, next_at, created_at)
    SELECT id, run, status, attempts, next_at, created_at FROM deliveries_1 ORDER BY rowid;
  DROP TABLE deliveries_1;`;

const SQL = {
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
  insertOutcome: 'INSERT INTO outcomes (run, event, url, auth_header, body) VALUES (?, ?, ?, ?, ?)',
  selectOutcome: 'SELECT run, event, url, auth_header AS authHeader, body FROM outcomes WHERE run = ?',
  insert: 'INSERT INTO deliveries (id, run, status, attempts, next_at, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  update: 'UPDATE deliveries SET status = ?, attempts = ?, next_at = ? WHERE id = ?',
  select: `SELECT id, run, status, attempts, next_at AS nextAt, created_at AS createdAt FROM deliveries WHERE id = ?`,
  selectDue: `
    SELECT id, run, status, attempts, next_at AS nextAt, created_at AS createdAt FROM deliveries
    WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT ?`,
  nextAt: 'SELECT MIN(next_at) AS due FROM deliveries WHERE next_at IS NOT NULL',
  countOpen: 'SELECT COUNT(*) AS n FROM deliveries WHERE next_at IS NOT NULL',
  countSince: 'SELECT COUNT(*) AS n FROM deliveries WHERE created_at > ?',
  cancelOpen: "UPDATE deliveries SET status = 'canceled', next_at = NULL WHERE next_at IS NOT NULL",
  upsertAttempt: `
    INSERT INTO delivery_attempts (delivery_id, attempt, at, status, error) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (delivery_id, attempt) DO UPDATE SET status = excluded.status, error = excluded.error`,
  selectLatest: `
    SELECT id, run, status, attempts, next_at AS nextAt, created_at AS createdAt, event, url
    FROM deliveries JOIN outcomes USING (run) ORDER BY number DESC LIMIT ?`,
  selectAttempts: `
    SELECT delivery_id AS deliveryId, attempt, at, status, error FROM delivery_attempts
    WHERE delivery_id = ? ORDER BY attempt`,
} as const;

export function upgradeDeliveries(sql: SqlStorage): void {
  if (sql.exec(SQL.hasTable, 'deliveries').toArray().length > 0) sql.exec(UPGRADE_1);
}

type Row<T> = T & Record<string, SqlStorageValue>;
export interface DeliveryStore {
  addOutcome(outcome: StoredOutcome): void;
  /** What was announced of a run; null where nothing was. */
  outcome(run: number): StoredOutcome | null;
  add(delivery: Delivery): void;
  update(delivery: Delivery): void;
  find(id: string): Delivery | null;
  /** The deliveries whose next attempt is due, the longest due first. */
  due(now: number, limit: number): Delivery[];
  /** When the next attempt of any delivery is due; null when none is. */
  nextAt(): number | null;
  /** How many have an attempt to come. */
  countOpen(): number;
  /** How many were made since a time. */
  countSince(time: number): number;
  cancelOpen(): void;
  saveAttempt(attempt: DeliveryAttempt): void;
  /** The latest deliveries with their attempts, oldest first. */
  latest(limit: number): DeliveryRecord[];
}

export function createDeliveryStore(sql: SqlStorage): DeliveryStore {
  // Asked each time: a transaction that is rolled back takes its tables along.
  const isMade = () => sql.exec(SQL.hasTable, 'outcomes').toArray().length > 0;
  return {
    addOutcome({ run, event, url, authHeader, body }: StoredOutcome): void {
      if (!isMade()) sql.exec(CREATE + CREATE_ATTEMPTS);
      sql.exec(SQL.insertOutcome, run, event, url, authHeader, body);
    },

    outcome(run: number): StoredOutcome | null {
      return isMade() ? (sql.exec<Row<StoredOutcome>>(SQL.selectOutcome, run).toArray()[0] ?? null) : null;
    },

    add({ id, run, status, attempts, nextAt, createdAt }: Delivery): void {
      sql.exec(SQL.insert, id, run, status, attempts, nextAt, createdAt);
    },

    update({ id, status, attempts, nextAt }: Delivery): void {
      sql.exec(SQL.update, status, attempts, nextAt, id);
    },

    find(id: string): Delivery | null {
      return sql.exec<Row<Delivery>>(SQL.select, id).toArray()[0] ?? null;
    },

    due(now: number, limit: number): Delivery[] {
      return isMade() ? sql.exec<Row<Delivery>>(SQL.selectDue, now, limit).toArray() : [];
    },

    nextAt(): number | null {
      return isMade() ? sql.exec<{ due: number | null }>(SQL.nextAt).one().due : null;
    },

    countOpen(): number {
      return isMade() ? sql.exec<{ n: number }>(SQL.countOpen).one().n : 0;
    },

    /** How many were made since a time. */
    countSince(time: number): number {
      return isMade() ? sql.exec<{ n: number }>(SQL.countSince, time).one().n : 0;
    },

    cancelOpen(): void {
      if (isMade()) sql.exec(SQL.cancelOpen);
    },

    saveAttempt({ deliveryId, attempt, at, status, error }: DeliveryAttempt): void {
      sql.exec(SQL.upsertAttempt, deliveryId, attempt, at, status, error);
    },

    latest(limit: number): DeliveryRecord[] {
      if (!isMade()) return [];
      type Listed = Delivery & Pick<StoredOutcome, 'event' | 'url'>;
      const rows = sql.exec<Row<Listed>>(SQL.selectLatest, limit).toArray().reverse();
      return rows.map((row) => ({
        ...row,
        attempts: sql.exec<Row<DeliveryAttempt>>(SQL.selectAttempts, row.id).toArray(),
      }));
    },
  };
}
