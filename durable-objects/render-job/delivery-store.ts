import * as z from 'zod';
import { type AttemptResult, type Delivery, POST_RUN } from '#domain/job/delivery.ts';
import type { DeliveryRecord } from '#protocol/job/delivery-view.ts';

/** The outcome of a run and its receiver, as its deliveries send it. */
export interface StoredOutcome {
  readonly event: string;
  /** Masked for a post. */
  readonly url: string;
  /** Without the request's `extras`, which the job stores. For a post the id of the rule's run. */
  readonly body: string;
}

export interface DeliveryAttempt extends Omit<AttemptResult, 'wait'> {
  readonly at: number;
}

/** A delivery with its attempts. The last may be running. */
export interface LoggedDelivery extends Delivery {
  readonly log: readonly DeliveryAttempt[];
  /** Why it waits for a later hour, in which its next attempt has a place. */
  readonly waitReason: string | null;
}

/**
 * The webhooks of a job, one row each; the table is created with the first. Objects are billed by page, so one table
 * without an index has to do: it has some hundred rows at most. A body is stored in the row that announced its run, and
 * only for the last run and for the post: no other can be sent again. `attempts` is JSON, `[[at, status, error], …]`.
 */
const CREATE = `
  CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL, run INTEGER NOT NULL, event TEXT NOT NULL, url TEXT NOT NULL,
    status TEXT NOT NULL, next_at INTEGER, created_at INTEGER NOT NULL, attempts TEXT NOT NULL, body TEXT,
    wait_reason TEXT)`;

const DELIVERY = `id, run, status, json_array_length(attempts) AS attempts, next_at AS nextAt, created_at AS createdAt,
  IIF(next_at IS NULL, NULL, wait_reason) AS waitReason`;

const SQL = {
  hasTable: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
  insert: `
    INSERT INTO deliveries (id, run, event, url, status, next_at, created_at, attempts, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?)`,
  selectOutcome: 'SELECT event, url, body, id AS deliveryId FROM deliveries WHERE run = ? AND body IS NOT NULL',
  dropBodies: `UPDATE deliveries SET body = NULL WHERE body IS NOT NULL AND run <> ${POST_RUN}`,
  update: 'UPDATE deliveries SET status = ?, next_at = ?, attempts = ?, wait_reason = ? WHERE id = ?',
  select: `SELECT ${DELIVERY}, attempts AS log FROM deliveries WHERE id = ?`,
  selectDue: `
    SELECT ${DELIVERY}, attempts AS log FROM deliveries
    WHERE next_at IS NOT NULL AND next_at <= ? ORDER BY next_at LIMIT ?`,
  nextAt: 'SELECT MIN(next_at) AS due FROM deliveries',
  countOpen: 'SELECT COUNT(next_at) AS n FROM deliveries',
  countSince: 'SELECT COUNT(*) AS n FROM deliveries WHERE created_at > ?',
  cancelOpen: "UPDATE deliveries SET status = 'canceled', next_at = NULL WHERE next_at IS NOT NULL AND run >= ?",
  prune: `
    DELETE FROM deliveries WHERE next_at IS NULL AND body IS NULL AND (created_at <= ? OR status = 'canceled')
    AND number NOT IN (SELECT number FROM deliveries ORDER BY number DESC LIMIT ?)`,
  selectLast: `
    SELECT ${DELIVERY}, attempts AS log FROM deliveries
    WHERE number IN (SELECT MAX(number) FROM deliveries GROUP BY run = ${POST_RUN})`,
  forget: 'DROP TABLE IF EXISTS deliveries',
  selectLatest: `
    SELECT ${DELIVERY}, attempts AS log, event, url FROM deliveries ORDER BY number DESC LIMIT ?`,
} as const;

type Row<T> = Omit<T, 'log'> & { log: string } & Record<string, SqlStorageValue>;
/** `[[at, status, error], …]` */
const Attempts = z.array(z.tuple([z.number(), z.int().nullable(), z.string().nullable()]));

export class DeliveryStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Adds the first delivery of a run, or of the post, with its body. Deletes the bodies of earlier runs. */
  announce(delivery: Delivery, outcome: StoredOutcome): void {
    if (!this.#isMade) this.#sql.exec(CREATE);
    else if (delivery.run !== POST_RUN) this.#sql.exec(SQL.dropBodies);
    this.addTo(outcome, delivery, outcome.body);
  }

  /** Adds a delivery to an announced run. */
  addTo(outcome: StoredOutcome, { id, run, status, nextAt, createdAt }: Delivery, body: string | null = null): void {
    this.#sql.exec(SQL.insert, id, run, outcome.event, outcome.url, status, nextAt, createdAt, body);
  }

  /** Returns the announced outcome of a run, and its first delivery; null if there is none, or a later run has replaced it. */
  outcome(run: number): (StoredOutcome & { readonly deliveryId: string }) | null {
    type Found = StoredOutcome & { readonly deliveryId: string } & Record<string, SqlStorageValue>;
    return this.#read<Found>(SQL.selectOutcome, run)[0] ?? null;
  }

  update({ id, status, nextAt, log, waitReason }: LoggedDelivery): void {
    const attempts = JSON.stringify(log.map(({ at, status, error }) => [at, status, error]));
    this.#sql.exec(SQL.update, status, nextAt, attempts, waitReason, id);
  }

  find(id: string): LoggedDelivery | null {
    return this.#read<Row<LoggedDelivery>>(SQL.select, id).map(loggedOf)[0] ?? null;
  }

  /** Returns the deliveries with a due attempt, oldest first. */
  due(now: number, limit: number): LoggedDelivery[] {
    return this.#read<Row<LoggedDelivery>>(SQL.selectDue, now, limit).map(loggedOf);
  }

  /** Returns when the next attempt is due; null if none is queued. */
  nextAt(): number | null {
    return this.#read<{ due: number | null }>(SQL.nextAt)[0]?.due ?? null;
  }

  /** Counts queued deliveries. */
  countOpen(): number {
    return this.#read<{ n: number }>(SQL.countOpen)[0]?.n ?? 0;
  }

  /** Counts deliveries created since a time. */
  countSince(time: number): number {
    return this.#read<{ n: number }>(SQL.countSince, time)[0]?.n ?? 0;
  }

  /** Cancels queued deliveries of this run and all later ones. */
  cancelOpen(from: number): void {
    if (this.#isMade) this.#sql.exec(SQL.cancelOpen, from);
  }

  /** Returns the last webhook and the last delivery of the post. */
  last(): LoggedDelivery[] {
    return this.#read<Row<LoggedDelivery>>(SQL.selectLast).map(loggedOf);
  }

  /** Deletes ended deliveries. Keeps the latest `kept`, and those made after `since` that are not canceled. */
  prune(kept: number, since: number): void {
    this.#sql.exec(SQL.prune, since, kept);
  }

  forget(): void {
    this.#sql.exec(SQL.forget);
  }

  /** Returns the latest deliveries with their attempts, oldest first. */
  latest(limit: number): DeliveryRecord[] {
    type Listed = LoggedDelivery & Pick<StoredOutcome, 'event' | 'url'>;
    const rows = this.#read<Row<Listed>>(SQL.selectLatest, limit).reverse();
    return rows.map(({ log, ...row }) => ({
      ...row,
      attempts: logOf(log).map((one, i) => ({ attempt: i + 1, ...one })),
    }));
  }

  #read<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: SqlStorageValue[]): T[] {
    return this.#isMade ? this.#sql.exec<T>(query, ...bindings).toArray() : [];
  }

  /** Checked each time, because a rollback drops the table. */
  get #isMade(): boolean {
    return this.#sql.exec(SQL.hasTable, 'deliveries').toArray().length > 0;
  }
}

/** Without a 429 at the end of a post's log, which is no attempt: the next one replaces it. */
function loggedOf({ log: text, ...row }: Row<LoggedDelivery>): LoggedDelivery {
  const log = logOf(text);
  if (row.run === POST_RUN && log.at(-1)?.status === 429) log.pop();
  return { ...row, attempts: log.length, log };
}

function logOf(text: string): DeliveryAttempt[] {
  return Attempts.parse(JSON.parse(text)).map(([at, status, error]) => ({ at, status, error }));
}
