import { FILE_AGE_S } from '#domain/clip/clip.ts';
import { PURGE_REASONS } from '#domain/job/outbox.ts';
import type { Log } from '#platform/log.ts';
import type { Purge } from '#rpc/bindings.ts';
import type { QueueStorage } from '../dispatcher/queue-tables.ts';
import type { PurgeRefusal } from './send-purge.ts';

/** How long the first purge waits for others, in milliseconds like all times here. */
const COLLECT_MS = 1000;
/** The least time from one request to the next that is not full. A Free zone allows five a minute. */
const SPACING_MS = 15_000;
/** How long after a request it is sent again if an eviction has lost its answer. */
const GUARD_MS = 60_000;
/** Twice the life of files in caches: older purges change nothing, and would delay those that do. */
const KEPT_MS = 2 * FILE_AGE_S * 1000;
/** The count of waiting purges stops here. */
const MOST_COUNTED = 10_000;

/** Without a rowid, a purge writes one row. The primary key is the order in which purges are sent. */
const TABLE = `
  CREATE TABLE IF NOT EXISTS purges (
    urgency INTEGER NOT NULL, at INTEGER NOT NULL, prefix TEXT NOT NULL, PRIMARY KEY (urgency, at, prefix)
  ) WITHOUT ROWID`;
const ADD = 'INSERT INTO purges (urgency, at, prefix) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const FIRST = 'SELECT urgency, at, prefix FROM purges ORDER BY urgency, at, prefix LIMIT ?';
/** Take-downs and erasures are sent in any case. */
const EXPIRE = 'DELETE FROM purges WHERE urgency = ? AND at < ?';
const REMOVE = 'DELETE FROM purges WHERE urgency = ? AND at = ? AND prefix = ?';
const COUNT = 'SELECT COUNT(*) AS waiting FROM (SELECT 1 FROM purges LIMIT ?)';

type Row = { urgency: number; at: number; prefix: string };

interface PurgeContext {
  readonly storage: QueueStorage & Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm' | 'deleteAlarm'>;
  readonly log: Log;
  /** The most prefixes in one request. */
  readonly most: number;
  now(): number;
  send(prefixes: readonly string[]): Promise<PurgeRefusal>;
}

/**
 * Stores purges and sends them together, the most urgent first and then the oldest. One that is sent too late to help
 * is dropped, so a large deletion or a long fault of the zone delays the others by minutes at most. The alarm is set to
 * the time at which the zone accepts the next request, so an eviction does not lose that time.
 */
export class Purges {
  readonly #context: PurgeContext;
  /** The earliest time of a request that is not full, since the epoch; 0 if this isolate has sent none. */
  #nextAt = 0;

  constructor(context: PurgeContext) {
    this.#context = context;
    context.storage.sql.exec(TABLE);
  }

  async add({ prefix, reason }: Purge): Promise<void> {
    const { storage, now } = this.#context;
    storage.sql.exec(ADD, PURGE_REASONS.indexOf(reason), now(), prefix);
    await this.#arm();
  }

  /** Returns how many purges wait. Sets their alarm again if the platform has lost it. */
  async waiting(): Promise<number> {
    const { waiting } = this.#context.storage.sql.exec<{ waiting: number }>(COUNT, MOST_COUNTED).one();
    if (waiting > 0) await this.#arm();
    return waiting;
  }

  /** Sends one request and sets the alarm for the next. */
  async wake(): Promise<void> {
    const { storage, log, most, now, send } = this.#context;
    for (let urgency = PURGE_REASONS.indexOf('deletion'); urgency < PURGE_REASONS.length; urgency++) {
      storage.sql.exec(EXPIRE, urgency, now() - KEPT_MS);
    }
    const rows = storage.sql.exec<Row>(FIRST, most).toArray();
    if (rows.length === 0) return;
    await storage.setAlarm(now() + GUARD_MS);
    const refusal = await send(rows.map(({ prefix }) => prefix));
    if (refusal) log('caches were not purged', { ...refusal });
    else {
      storage.transactionSync(() => {
        for (const { urgency, at, prefix } of rows) storage.sql.exec(REMOVE, urgency, at, prefix);
      });
    }
    const isFull = !refusal && rows.length === most;
    this.#nextAt = now() + (refusal?.waitMs ?? SPACING_MS);
    if (storage.sql.exec<Row>(FIRST, 1).toArray().length === 0) await storage.deleteAlarm();
    else await storage.setAlarm(isFull ? now() : this.#nextAt);
  }

  /** Sets the alarm unless it is set. */
  async #arm(): Promise<void> {
    const { storage, now } = this.#context;
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Math.max(now() + COLLECT_MS, this.#nextAt));
  }
}
