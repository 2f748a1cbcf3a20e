import { advanceTag, isCovered, type Offer } from '../../domain/fair-queue.ts';
import { LATER_VERSION } from '../../domain/later-version.ts';
import { RESOLUTIONS } from '../../domain/picture.ts';

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
  `
    CREATE TABLE leases (job_id TEXT PRIMARY KEY, host_id TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX leases_host ON leases (host_id);`,
] as const;

/** The next jobs of one resolution and lane. It reads the primary key from its beginning: no scan, no sort. */
export const HEAD = 'SELECT * FROM ready WHERE resolution = ? AND lane = ? AND fps <= ? ORDER BY vt, seq LIMIT ?';

const SQL = {
  hasTables: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'clocks'",
  hasVersion: "SELECT 1 FROM pragma_table_info('clocks') WHERE name = 'v'",
  version: 'SELECT v FROM clocks WHERE lane = 0',
  setVersion: 'UPDATE clocks SET v = ? WHERE lane = 0',
  clock: 'SELECT vt, seq FROM clocks WHERE lane = ?',
  tag: 'SELECT vt FROM tags WHERE lane = ? AND account_id = ?',
  setTag: `INSERT INTO tags (lane, account_id, vt) VALUES (?, ?, ?)
    ON CONFLICT (lane, account_id) DO UPDATE SET vt = excluded.vt`,
  advanceSeq: 'UPDATE clocks SET seq = seq + 1 WHERE lane = ?',
  insert: `INSERT INTO ready (resolution, lane, vt, seq, job_id, account_id, tier, fps)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  head: HEAD,
  queued: 'SELECT * FROM ready WHERE job_id = ?',
  remove: 'DELETE FROM ready WHERE job_id = ?',
  advanceClock: 'UPDATE clocks SET vt = MAX(vt, ?) WHERE lane = ?',
  dropIdleTags: 'DELETE FROM tags WHERE lane = ? AND vt <= ?',
  covered: `SELECT (SELECT COUNT(*) FROM running WHERE account_id = ?1)
    + (SELECT COUNT(*) FROM ready WHERE account_id = ?1 AND lane = 0 AND tier = 'reserved') AS n`,
  run: 'INSERT OR IGNORE INTO running (job_id, account_id) VALUES (?, ?)',
  endRun: 'DELETE FROM running WHERE job_id = ? RETURNING account_id',
  lease: 'INSERT OR REPLACE INTO leases (job_id, host_id) VALUES (?, ?)',
  endLease: 'DELETE FROM leases WHERE job_id = ?',
  countLeases: 'SELECT COUNT(*) AS n FROM leases WHERE host_id = ?',
  firstOverflow: `SELECT * FROM ready WHERE account_id = ? AND lane = 1 AND tier = 'reserved' ORDER BY seq LIMIT 1`,
  count: 'SELECT COUNT(*) AS n FROM ready',
} as const;

/** Jobs under a provisioned slot go before all others. */
const COVERED = 0;
const BEST_EFFORT = 1;
/** How often idle accounts' tags are swept, in jobs started. */
const SWEEP_EVERY = 256;

type Row = {
  resolution: number;
  lane: number;
  vt: number;
  seq: number;
  job_id: string;
  account_id: string;
  tier: Offer['tier'];
  fps: number;
};

type Job = Pick<Offer, 'jobId' | 'accountId' | 'tier' | 'resolution' | 'fps'>;

/** What a host can take. */
export interface Capability {
  readonly maxResolution: number;
  readonly maxFps: number;
}

export type ReadyQueue = ReturnType<typeof createReadyQueue>;

/**
 * The jobs that wait for a host, in the order they will be taken: covered before best effort, accounts by turns, oldest
 * first inside an account. The order is fixed when a job is queued, so taking the next one reads the head of an index
 * however long the queue is. Every method must run in a transaction.
 */
export function createReadyQueue(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
  const { sql } = storage;
  storage.transactionSync(() => migrate(sql));

  function insert({ jobId, accountId, tier, resolution, fps }: Job, lane: number): void {
    const clock = sql.exec<{ vt: number; seq: number }>(SQL.clock, lane).one();
    const [tag] = sql.exec<{ vt: number }>(SQL.tag, lane, accountId).toArray();
    const { start, next } = advanceTag(clock.vt, tag?.vt ?? null, { resolution, fps });
    sql.exec(SQL.setTag, lane, accountId, next);
    sql.exec(SQL.advanceSeq, lane);
    sql.exec(SQL.insert, resolution, lane, start, clock.seq, jobId, accountId, tier, fps);
  }

  /** Ends the hold of a job on its place and on its account's slot: the account's oldest overflowing job moves up. */
  function settle(jobId: string): void {
    sql.exec(SQL.remove, jobId);
    sql.exec(SQL.endLease, jobId);
    const [ended] = sql.exec<{ account_id: string }>(SQL.endRun, jobId).toArray();
    if (!ended) return;
    const [next] = sql.exec<Row>(SQL.firstOverflow, ended.account_id).toArray();
    if (!next) return;
    sql.exec(SQL.remove, next.job_id);
    insert({ ...next, jobId: next.job_id, accountId: next.account_id }, COVERED);
  }

  return {
    settle,

    /** Queues a job; one that is queued already keeps its place. */
    add(offer: Offer): void {
      if (sql.exec(SQL.queued, offer.jobId).toArray().length > 0) return;
      // A job that offers itself runs nowhere, whatever was heard of it.
      settle(offer.jobId);
      const { n } = sql.exec<{ n: number }>(SQL.covered, offer.accountId).one();
      insert(offer, isCovered(offer, n) ? COVERED : BEST_EFFORT);
    },

    /** The next job that a host can do. It keeps its place; those in `passed` are passed over. */
    next(capability: Capability, passed: { readonly size: number; has(jobId: string): boolean }): string | null {
      const heads = [COVERED, BEST_EFFORT]
        .flatMap((lane) =>
          RESOLUTIONS.filter((resolution) => resolution <= capability.maxResolution).map((resolution) =>
            sql
              .exec<Row>(SQL.head, resolution, lane, capability.maxFps, passed.size + 1)
              .toArray()
              .find(({ job_id }) => !passed.has(job_id)),
          ),
        )
        .filter((head) => head !== undefined);
      const [first] = heads.sort((a, b) => a.lane - b.lane || a.vt - b.vt || a.seq - b.seq);
      if (!first) return null;
      sql.exec(SQL.advanceClock, first.vt, first.lane);
      return first.job_id;
    },

    /** Takes a job that a host works on out of the queue; a covered one holds its slot until it is settled. */
    start(jobId: string, hostId: string | undefined): void {
      if (hostId !== undefined) sql.exec(SQL.lease, jobId, hostId);
      const [row] = sql.exec<Row>(SQL.queued, jobId).toArray();
      if (!row) return;
      sql.exec(SQL.remove, jobId);
      if (row.lane === COVERED) sql.exec(SQL.run, jobId, row.account_id);
      if (row.seq % SWEEP_EVERY === 0) sql.exec(SQL.dropIdleTags, row.lane, row.vt);
    },

    /** How many jobs a host works on. */
    leases(hostId: string): number {
      return sql.exec<{ n: number }>(SQL.countLeases, hostId).one().n;
    },

    size(): number {
      return sql.exec<{ n: number }>(SQL.count).one().n;
    },
  };
}

/** @throws where a later version of the service has changed the tables. */
function migrate(sql: SqlStorage): void {
  const version = versionOf(sql);
  if (version > MIGRATIONS.length) throw new Error(`the queue was ${LATER_VERSION} (${version})`);
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) sql.exec(migration);
  sql.exec(SQL.setVersion, MIGRATIONS.length);
}

/** 0 for an empty object; the first version wrote none. */
function versionOf(sql: SqlStorage): number {
  if (sql.exec(SQL.hasTables).toArray().length === 0) return 0;
  if (sql.exec(SQL.hasVersion).toArray().length === 0) return 1;
  return sql.exec<{ v: number }>(SQL.version).one().v;
}
