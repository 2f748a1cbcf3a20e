import * as z from 'zod';
import type { AttemptResult, Delivery } from '#domain/delivery.ts';
import type { DeliveryRecord } from '#protocol/delivery-view.ts';

/** What the deliveries of one run carry: the outcome as it was when it was known, and where it goes. */
export interface StoredOutcome {
  readonly event: string;
  readonly url: string;
  /** Without the request's `extras`, which the job has anyway. */
  readonly body: string;
}

export interface DeliveryAttempt extends AttemptResult {
  readonly at: number;
}

/** A delivery with its attempts, of which the last may be under way. */
export interface LoggedDelivery extends Delivery {
  readonly log: readonly DeliveryAttempt[];
}

/**
 * The webhooks of a job, one row each, made with the first one. An object pays for whole pages, so there is one table
 * and no index: it has some hundred rows at most. A body stands in the row that announced its run, and only of the last
 * run: nothing else can be sent again. `attempts` is JSON, `[[at, status, error], …]`.
 */
const CREATE = `
  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, run INTEGER NOT NULL, event TEXT NOT NULL, url TEXT NOT NULL,
    status TEXT NOT NULL, next_at INTEGER, created_at INTEGER NOT NULL, attempts TEXT NOT NULL, body TEXT)`;

const DELIVERY = `id, run, status, json_array_length(attempts) AS attempts, next_at AS nextAt, created_at AS createdAt`;

const SQL = {
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
  insert: `
    INSERT INTO deliveries (id, run, event, url, status, next_at, created_at, attempts, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?)`,
  selectOutcome: 'SELECT event, url, body FROM deliveries WHERE run = ? AND body IS NOT NULL',
  dropBodies: 'UPDATE deliveries SET body = NULL WHERE body IS NOT NULL',
  update: 'UPDATE deliveries SET status = ?, next_at = ?, attempts = ? WHERE id = ?',
  select: `SELECT ${DELIVERY}, attempts AS log FROM deliveries WHERE id = ?`,
  selectDue: `
    SELECT ${DELIVERY}, attempts AS log FROM deliveries
    WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT ?`,
  nextAt: 'SELECT MIN(next_at) AS due FROM deliveries',
  countOpen: 'SELECT COUNT(next_at) AS n FROM deliveries',
  countSince: 'SELECT COUNT(*) AS n FROM deliveries WHERE created_at > ?',
  cancelOpen: "UPDATE deliveries SET status = 'canceled', next_at = NULL WHERE next_at IS NOT NULL",
  prune: `
    DELETE FROM deliveries WHERE next_at IS NULL AND body IS NULL AND (created_at <= ? OR status = 'canceled')
    AND number NOT IN (SELECT number FROM deliveries ORDER BY number DESC LIMIT ?)`,
  forget: 'DROP TABLE IF EXISTS deliveries',
  selectLatest: `
    SELECT ${DELIVERY}, attempts AS log, event, url FROM deliveries ORDER BY number DESC LIMIT ?`,
} as const;

type Row<T> = Omit<T, 'log'> & { log: string } & Record<string, SqlStorageValue>;
/** `[[at, status, error], …]` */
const Attempts = z.array(z.tuple([z.number(), z.int().nullable(), z.string().nullable()]));

export interface DeliveryStore {
  /** Adds the first delivery of a run, with what it carries. Of the runs before, nothing can be sent any more. */
  announce(delivery: Delivery, outcome: StoredOutcome): void;
  /** Adds one more of a run that was announced. */
  addTo(outcome: StoredOutcome, delivery: Delivery): void;
  /** What was announced of a run; null where nothing was, or a later run has replaced it. */
  outcome(run: number): StoredOutcome | null;
  update(delivery: LoggedDelivery): void;
  find(id: string): LoggedDelivery | null;
  /** The deliveries whose next attempt is due, the longest due first. */
  due(now: number, limit: number): LoggedDelivery[];
  /** When the next attempt of any delivery is due; null when none is. */
  nextAt(): number | null;
  /** How many have an attempt to come. */
  countOpen(): number;
  /** How many were made since a time. */
  countSince(time: number): number;
  cancelOpen(): void;
  /** Deletes ended deliveries. Keeps the latest `kept`, and those made after `since` that are not canceled. */
  prune(kept: number, since: number): void;
  /** Forgets all of them. */
  forget(): void;
  /** The latest deliveries with their attempts, oldest first. */
  latest(limit: number): DeliveryRecord[];
}

export function createDeliveryStore(sql: SqlStorage): DeliveryStore {
  // Asked each time: a transaction that is rolled back takes its tables along.
  const isMade = () => sql.exec(SQL.hasTable, 'deliveries').toArray().length > 0;
  const insert = ({ id, run, status, nextAt, createdAt }: Delivery, { event, url }: StoredOutcome, body?: string) =>
    sql.exec(SQL.insert, id, run, event, url, status, nextAt, createdAt, body ?? null);
  return {
    announce(delivery: Delivery, outcome: StoredOutcome): void {
      if (isMade()) sql.exec(SQL.dropBodies);
      else sql.exec(CREATE);
      insert(delivery, outcome, outcome.body);
    },

    addTo(outcome: StoredOutcome, delivery: Delivery): void {
      insert(delivery, outcome);
    },

    outcome(run: number): StoredOutcome | null {
      type Stored = StoredOutcome & Record<string, SqlStorageValue>;
      return isMade() ? (sql.exec<Stored>(SQL.selectOutcome, run).toArray()[0] ?? null) : null;
    },

    update({ id, status, nextAt, log }: LoggedDelivery): void {
      sql.exec(SQL.update, status, nextAt, JSON.stringify(log.map(({ at, status, error }) => [at, status, error])), id);
    },

    find(id: string): LoggedDelivery | null {
      const [row] = isMade() ? sql.exec<Row<LoggedDelivery>>(SQL.select, id).toArray() : [];
      return row ? { ...row, log: logOf(row.log) } : null;
    },

    due(now: number, limit: number): LoggedDelivery[] {
      const rows = isMade() ? sql.exec<Row<LoggedDelivery>>(SQL.selectDue, now, limit).toArray() : [];
      return rows.map((row) => ({ ...row, log: logOf(row.log) }));
    },

    nextAt(): number | null {
      return isMade() ? sql.exec<{ due: number | null }>(SQL.nextAt).one().due : null;
    },

    countOpen(): number {
      return isMade() ? sql.exec<{ n: number }>(SQL.countOpen).one().n : 0;
    },

    countSince(time: number): number {
      return isMade() ? sql.exec<{ n: number }>(SQL.countSince, time).one().n : 0;
    },

    cancelOpen(): void {
      if (isMade()) sql.exec(SQL.cancelOpen);
    },

    prune(kept: number, since: number): void {
      sql.exec(SQL.prune, since, kept);
    },

    forget(): void {
      sql.exec(SQL.forget);
    },

    latest(limit: number): DeliveryRecord[] {
      if (!isMade()) return [];
      type Listed = LoggedDelivery & Pick<StoredOutcome, 'event' | 'url'>;
      const rows = sql.exec<Row<Listed>>(SQL.selectLatest, limit).toArray().reverse();
      return rows.map(({ log, ...row }) => ({
        ...row,
        attempts: logOf(log).map((one, i) => ({ attempt: i + 1, ...one })),
      }));
    },
  };
}

function logOf(text: string): DeliveryAttempt[] {
  return Attempts.parse(JSON.parse(text)).map(([at, status, error]) => ({ at, status, error }));
}
