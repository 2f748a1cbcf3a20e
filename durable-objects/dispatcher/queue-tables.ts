import type { Offer } from '#domain/host/fair-queue.ts';
import { LATER_VERSION, type STORED_VERSIONS } from '#domain/lib/types.ts';

type Value = ArrayBuffer | string | number | null;

/** The storage of a queue: an object's, or any SQLite. */
export interface QueueStorage {
  readonly sql: { exec<T extends Record<string, Value>>(query: string, ...bindings: unknown[]): Rows<T> };
  transactionSync<T>(work: () => T): T;
}

interface Rows<T> {
  toArray(): T[];
  one(): T;
}

/** The lane of covered jobs, which go before all others. */
export const COVERED = 0;
export const BEST_EFFORT = 1;
/** The lane of short work, which goes between both. */
export const SHORT = 2;
/** The lanes in the order of assignment. */
export const LANES: readonly number[] = [COVERED, SHORT, BEST_EFFORT];

/** A row of `ready`: a waiting job. */
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
  queued_at: number;
};

/**
 * The migrations of the tables, by version. The version is stored in the row of the first lane's clock, which is
 * written with every job. See docs/decisions/014-stored-versions.md.
 */
const MIGRATIONS = [
  // `demo_key`: the job's demo. `passed`: how many jobs of the account went before it because of their demo.
  `
    CREATE TABLE clocks (
      lane INTEGER PRIMARY KEY, vt REAL NOT NULL, seq INTEGER NOT NULL, v INTEGER NOT NULL DEFAULT 1);
    INSERT INTO clocks (lane, vt, seq) VALUES (0, 0, 0), (1, 0, 0);
    CREATE TABLE needs (id INTEGER PRIMARY KEY, need TEXT NOT NULL UNIQUE);
    CREATE TABLE ready (
      need INTEGER NOT NULL, lane INTEGER NOT NULL, vt REAL NOT NULL, seq INTEGER NOT NULL,
      job_id TEXT NOT NULL, account_id TEXT NOT NULL, tier TEXT NOT NULL, fps INTEGER NOT NULL, avoid_host TEXT,
      avoid_until INTEGER NOT NULL DEFAULT 0, demo_key TEXT, passed INTEGER NOT NULL DEFAULT 0,
      queued_at INTEGER NOT NULL, PRIMARY KEY (need, lane, vt, seq)) WITHOUT ROWID;
    CREATE UNIQUE INDEX ready_job ON ready (job_id);
    CREATE INDEX ready_reserved ON ready (account_id, lane, seq) WHERE tier = 'reserved';
    CREATE INDEX ready_account ON ready (need, lane, account_id, vt, seq);
    CREATE TABLE running (job_id TEXT PRIMARY KEY, account_id TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX running_account ON running (account_id);
    CREATE TABLE tags (
      lane INTEGER NOT NULL, account_id TEXT NOT NULL, vt REAL NOT NULL,
      PRIMARY KEY (lane, account_id)) WITHOUT ROWID;
    CREATE TABLE leases (job_id TEXT PRIMARY KEY, host_id TEXT NOT NULL, holder TEXT) WITHOUT ROWID;
    CREATE INDEX leases_host ON leases (host_id);
    CREATE TABLE host_faults (host_id TEXT PRIMARY KEY, faults TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE host_kinds (kind TEXT PRIMARY KEY, capability TEXT NOT NULL, seen_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE host_notes (id INTEGER PRIMARY KEY, notes TEXT NOT NULL);`,
] as const satisfies { readonly length: (typeof STORED_VERSIONS)['queue'] };

const SQL = {
  hasTables: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'clocks'",
  version: 'SELECT v FROM clocks WHERE lane = 0',
  setVersion: 'UPDATE clocks SET v = ? WHERE lane = 0',
} as const;

/**
 * Migrates the tables. `migrations`: replaced only in tests.
 * @throws if a later version has changed the tables.
 */
export function migrateQueue(sql: QueueStorage['sql'], migrations: readonly string[] = MIGRATIONS): void {
  const isNew = sql.exec(SQL.hasTables).toArray().length === 0;
  const version = isNew ? 0 : sql.exec<{ v: number }>(SQL.version).one().v;
  if (version > migrations.length) throw new Error(`the queue was ${LATER_VERSION} (${version})`);
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) sql.exec(migration);
  sql.exec(SQL.setVersion, migrations.length);
}
