import { advanceTag, isCovered, type Offer } from '../../domain/fair-queue.ts';

const SQL = {
  createTables: `
    CREATE TABLE IF NOT EXISTS ready (
      resolution INTEGER NOT NULL, lane INTEGER NOT NULL, vt REAL NOT NULL, seq INTEGER NOT NULL,
      job_id TEXT NOT NULL, account_id TEXT NOT NULL, tier TEXT NOT NULL, fps INTEGER NOT NULL,
      PRIMARY KEY (resolution, lane, vt, seq)) WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS ready_job ON ready (job_id);
    CREATE INDEX IF NOT EXISTS ready_reserved ON ready (account_id, lane, seq) WHERE tier = 'reserved';
    CREATE TABLE IF NOT EXISTS running (job_id TEXT PRIMARY KEY, account_id TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS running_account ON running (account_id);
    CREATE TABLE IF NOT EXISTS tags (
      lane INTEGER NOT NULL, account_id TEXT NOT NULL, vt REAL NOT NULL,
      PRIMARY KEY (lane, account_id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS clocks (lane INTEGER PRIMARY KEY, vt REAL NOT NULL, seq INTEGER NOT NULL);
    INSERT OR IGNORE INTO clocks (lane, vt, seq) VALUES (0, 0, 0), (1, 0, 0);`,
  isQueued: 'SELECT 1 FROM ready WHERE job_id = ?',
  clock: 'SELECT vt, seq FROM clocks WHERE lane = ?',
  tag: 'SELECT vt FROM tags WHERE lane = ? AND account_id = ?',
  setTag: `INSERT INTO tags (lane, account_id, vt) VALUES (?, ?, ?)
    ON CONFLICT (lane, account_id) DO UPDATE SET vt = excluded.vt`,
  advanceSeq: 'UPDATE clocks SET seq = seq + 1 WHERE lane = ?',
  insert: `INSERT INTO ready (resolution, lane, vt, seq, job_id, account_id, tier, fps)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  head: `SELECT * FROM ready WHERE resolution = ? AND lane = ? AND fps <= ? ORDER BY vt, seq LIMIT 1`,
  remove: 'DELETE FROM ready WHERE job_id = ?',
  advanceClock: 'UPDATE clocks SET vt = MAX(vt, ?) WHERE lane = ?',
  dropIdleTags: 'DELETE FROM tags WHERE lane = ? AND vt <= ?',
  covered: `SELECT (SELECT COUNT(*) FROM running WHERE account_id = ?1)
    + (SELECT COUNT(*) FROM ready WHERE account_id = ?1 AND lane = 0 AND tier = 'reserved') AS n`,
  run: 'INSERT OR IGNORE INTO running (job_id, account_id) VALUES (?, ?)',
  endRun: 'DELETE FROM running WHERE job_id = ? RETURNING account_id',
  firstOverflow: `SELECT * FROM ready WHERE account_id = ? AND lane = 1 AND tier = 'reserved' ORDER BY seq LIMIT 1`,
  count: 'SELECT COUNT(*) AS n FROM ready',
} as const;

/** Jobs under a provisioned slot go before all others. */
const COVERED = 0;
const BEST_EFFORT = 1;
const RESOLUTIONS = [1080, 1440] as const;
/** How often idle accounts' tags are swept, in jobs taken. */
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
export function createReadyQueue(sql: SqlStorage) {
  sql.exec(SQL.createTables);

  function insert({ jobId, accountId, tier, resolution, fps }: Job, lane: number): void {
    const clock = sql.exec<{ vt: number; seq: number }>(SQL.clock, lane).one();
    const [tag] = sql.exec<{ vt: number }>(SQL.tag, lane, accountId).toArray();
    const { start, next } = advanceTag(clock.vt, tag?.vt ?? null, { resolution, fps });
    sql.exec(SQL.setTag, lane, accountId, next);
    sql.exec(SQL.advanceSeq, lane);
    sql.exec(SQL.insert, resolution, lane, start, clock.seq, jobId, accountId, tier, fps);
  }

  /** Ends the hold of a job on its account's slot and lets the account's oldest overflowing job move up. */
  function settle(jobId: string): void {
    const [ended] = sql.exec<{ account_id: string }>(SQL.endRun, jobId).toArray();
    if (!ended) return;
    const [next] = sql.exec<Row>(SQL.firstOverflow, ended.account_id).toArray();
    if (!next) return;
    sql.exec(SQL.remove, next.job_id);
    insert({ ...next, jobId: next.job_id, accountId: next.account_id }, COVERED);
  }

  return {
    settle,

    /** Queues a job; one that is queued already keeps its place. False when nothing changed. */
    add(offer: Offer): boolean {
      if (sql.exec(SQL.isQueued, offer.jobId).toArray().length > 0) return false;
      // A job that offers itself runs nowhere, whatever was heard of it.
      settle(offer.jobId);
      const { n } = sql.exec<{ n: number }>(SQL.covered, offer.accountId).one();
      insert(offer, isCovered(offer, n) ? COVERED : BEST_EFFORT);
      return true;
    },

    /** Takes the next job that a host can do out of the queue. */
    take(capability: Capability): string | null {
      const heads = [COVERED, BEST_EFFORT]
        .flatMap((lane) =>
          RESOLUTIONS.filter((resolution) => resolution <= capability.maxResolution).map((resolution) =>
            sql.exec<Row>(SQL.head, resolution, lane, capability.maxFps).toArray().at(0),
          ),
        )
        .filter((head) => head !== undefined);
      const [first] = heads.sort((a, b) => a.lane - b.lane || a.vt - b.vt || a.seq - b.seq);
      if (!first) return null;
      sql.exec(SQL.remove, first.job_id);
      sql.exec(SQL.advanceClock, first.vt, first.lane);
      if (first.lane === COVERED) sql.exec(SQL.run, first.job_id, first.account_id);
      if (first.seq % SWEEP_EVERY === 0) sql.exec(SQL.dropIdleTags, first.lane, first.vt);
      return first.job_id;
    },

    size(): number {
      return sql.exec<{ n: number }>(SQL.count).one().n;
    },
  };
}
