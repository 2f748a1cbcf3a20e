import type { Offer } from '../../domain/fair-queue.ts';
import { LATER_VERSION } from '../../domain/later-version.ts';
import type { STORED_VERSIONS } from '../../domain/stored-versions.ts';

type Value = ArrayBuffer | string | number | null;

/** What the queue stands on: the storage of an object, or any SQLite. */
export interface QueueStorage {
  readonly sql: { exec<T extends Record<string, Value>>(query: string, ...bindings: unknown[]): Rows<T> };
  transactionSync<T>(work: () => T): T;
}

interface Rows<T> {
  toArray(): T[];
  one(): T;
}

/** A job that waits, as it lies in the queue. */
export type ReadyRow = {
  need: number;
  lane: number;
  vt: number;
  seq: number;
  job_id: string;
  account_id: string;
  tier: Offer['tier'];
  fps: number;
  avoid_host: string | null;
  avoid_until: number;
  demo_key: string | null;
  passed: number;
  /** Null where a version wrote the row that did not note it. */
  queued_at: number | null;
};

/**
 * What brings the tables from each version to the next; the last is the version of this code. It stands in the row of
 * the first lane's clock, which is written with every job. See docs/decisions/014-stored-versions.md.
 */
const MIGRATIONS = [
  `
    CREATE TABLE ready (
      resolution INTEGER NOT NULL, lane INTEGER NOT NULL, vt REAL NOT NULL, seq INTEGER NOT NULL,
      job_id TEXT NOT NULL, account_id TEXT NOT NULL, tier TEXT NOT NULL, fps INTEGER NOT NULL,
      PRIMARY KEY (resolution, lane, vt, seq)) WITHOUT ROWID;
    CREATE UNIQUE INDEX ready_job ON ready (job_id);
    CREATE INDEX ready_reserved ON ready (account_id, lane, seq) WHERE tier = 'reserved';
    CREATE TABLE running (job_id TEXT PRIMARY KEY, account_id TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX running_account ON running (account_id);
    CREATE TABLE tags (
      lane INTEGER NOT NULL, account_id TEXT NOT NULL, vt REAL NOT NULL,
      PRIMARY KEY (lane, account_id)) WITHOUT ROWID;
    CREATE TABLE clocks (lane INTEGER PRIMARY KEY, vt REAL NOT NULL, seq INTEGER NOT NULL);
    INSERT INTO clocks (lane, vt, seq) VALUES (0, 0, 0), (1, 0, 0);`,
  `
    ALTER TABLE clocks ADD COLUMN v INTEGER NOT NULL DEFAULT 2;`,
  // Jobs lie by what they need. Those that lay by their height alone are taken for the fastest of that height.
  `
    CREATE TABLE needs (id INTEGER PRIMARY KEY, need TEXT NOT NULL UNIQUE);
    INSERT INTO needs (need) SELECT DISTINCT
      json_object('resolution', resolution, 'fps', 120, 'renderer', NULL, 'refusedBuilds', json('[]')) FROM ready;
    ALTER TABLE ready RENAME TO old_ready;
    CREATE TABLE ready (
      need INTEGER NOT NULL, lane INTEGER NOT NULL, vt REAL NOT NULL, seq INTEGER NOT NULL,
      job_id TEXT NOT NULL, account_id TEXT NOT NULL, tier TEXT NOT NULL, fps INTEGER NOT NULL, avoid_host TEXT,
      avoid_until INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (need, lane, vt, seq)) WITHOUT ROWID;
    INSERT INTO ready (need, lane, vt, seq, job_id, account_id, tier, fps)
      SELECT needs.id, lane, vt, seq, job_id, account_id, tier, fps FROM old_ready
      JOIN needs ON json_extract(needs.need, '$.resolution') = resolution;
    DROP TABLE old_ready;
    CREATE UNIQUE INDEX ready_job ON ready (job_id);
    CREATE INDEX ready_reserved ON ready (account_id, lane, seq) WHERE tier = 'reserved';`,
  `
    CREATE TABLE leases (job_id TEXT PRIMARY KEY, host_id TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX leases_host ON leases (host_id);`,
  // Of hosts: the faults of those that fail, and what all of them can do.
  `
    CREATE TABLE host_faults (host_id TEXT PRIMARY KEY, faults TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE host_kinds (kind TEXT PRIMARY KEY, capability TEXT NOT NULL, seen_at INTEGER NOT NULL) WITHOUT ROWID;`,
  // Which demo a job is of, and how often others of its account went before it for theirs.
  `
    ALTER TABLE ready ADD COLUMN demo_key TEXT;
    ALTER TABLE ready ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;`,
] as const satisfies { readonly length: (typeof STORED_VERSIONS)['queue'] };

const SQL = {
  hasTables: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'clocks'",
  hasVersion: "SELECT 1 FROM pragma_table_info('clocks') WHERE name = 'v'",
  version: 'SELECT v FROM clocks WHERE lane = 0',
  setVersion: 'UPDATE clocks SET v = ? WHERE lane = 0',
  hasQueuedAt: "SELECT 1 FROM pragma_table_info('ready') WHERE name = 'queued_at'",
  addQueuedAt: 'ALTER TABLE ready ADD COLUMN queued_at INTEGER',
  hasHolder: "SELECT 1 FROM pragma_table_info('leases') WHERE name = 'holder'",
  addHolder: 'ALTER TABLE leases ADD COLUMN holder TEXT',
  addAccounts: 'CREATE INDEX IF NOT EXISTS ready_account ON ready (need, lane, account_id, vt, seq)',
} as const;

/** @throws where a later version of the service has changed the tables. */
export function migrateQueue(sql: QueueStorage['sql']): void {
  const version = versionOf(sql);
  if (version > MIGRATIONS.length) throw new Error(`the queue was ${LATER_VERSION} (${version})`);
  if (version < MIGRATIONS.length) {
    for (const migration of MIGRATIONS.slice(version)) sql.exec(migration);
    sql.exec(SQL.setVersion, MIGRATIONS.length);
  }
  // These may be missing. The previous version ignores them, so they do not increase the version.
  if (sql.exec(SQL.hasQueuedAt).toArray().length === 0) sql.exec(SQL.addQueuedAt);
  if (sql.exec(SQL.hasHolder).toArray().length === 0) sql.exec(SQL.addHolder);
  sql.exec(SQL.addAccounts);
}

/** 0 for an empty object; the first version wrote none. */
function versionOf(sql: QueueStorage['sql']): number {
  if (sql.exec(SQL.hasTables).toArray().length === 0) return 0;
  if (sql.exec(SQL.hasVersion).toArray().length === 0) return 1;
  return sql.exec<{ v: number }>(SQL.version).one().v;
}
