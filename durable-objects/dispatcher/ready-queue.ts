import type { Tier } from '../../domain/clip.ts';
import { advanceTag, type Offer } from '../../domain/fair-queue.ts';

const SQL = {
  createTables: `
    CREATE TABLE IF NOT EXISTS ready (
      resolution INTEGER NOT NULL, lane INTEGER NOT NULL, vt REAL NOT NULL, seq INTEGER NOT NULL,
      job_id TEXT NOT NULL, fps INTEGER NOT NULL,
      PRIMARY KEY (resolution, lane, vt, seq)) WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS ready_job ON ready (job_id);
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
  insert: 'INSERT INTO ready (resolution, lane, vt, seq, job_id, fps) VALUES (?, ?, ?, ?, ?, ?)',
  head: `SELECT resolution, lane, vt, seq, job_id FROM ready
    WHERE resolution = ? AND lane = ? AND fps <= ? ORDER BY vt, seq LIMIT 1`,
  remove: 'DELETE FROM ready WHERE resolution = ? AND lane = ? AND vt = ? AND seq = ?',
  advanceClock: 'UPDATE clocks SET vt = MAX(vt, ?) WHERE lane = ?',
  dropIdleTags: 'DELETE FROM tags WHERE lane = ? AND vt <= ?',
  count: 'SELECT COUNT(*) AS n FROM ready',
} as const;

/** Reserved work goes before metered work. */
const LANE: Record<Tier, number> = { reserved: 0, metered: 1 };
const RESOLUTIONS = [1080, 1440] as const;

type Head = { resolution: number; lane: number; vt: number; seq: number; job_id: string };

/** What a host can take. */
export interface Capability {
  readonly maxResolution: number;
  readonly maxFps: number;
}

export type ReadyQueue = ReturnType<typeof createReadyQueue>;

/**
 * The jobs that wait for a host, in the order they will be taken: reserved before metered, accounts by turns, oldest
 * first inside an account. The order is fixed when a job is queued, so taking the next one reads the head of an index
 * however long the queue is.
 */
export function createReadyQueue(sql: SqlStorage) {
  sql.exec(SQL.createTables);
  return {
    /** Queues a job; one that is queued already keeps its place. False when nothing changed. */
    add(offer: Offer): boolean {
      if (sql.exec(SQL.isQueued, offer.jobId).toArray().length > 0) return false;
      const lane = LANE[offer.lane];
      const clock = sql.exec<{ vt: number; seq: number }>(SQL.clock, lane).one();
      const [tag] = sql.exec<{ vt: number }>(SQL.tag, lane, offer.accountId).toArray();
      const { start, next } = advanceTag(clock.vt, tag?.vt ?? null, offer);
      sql.exec(SQL.setTag, lane, offer.accountId, next);
      sql.exec(SQL.advanceSeq, lane);
      sql.exec(SQL.insert, offer.resolution, lane, start, clock.seq, offer.jobId, offer.fps);
      return true;
    },

    /** Takes the next job that a host can do out of the queue. */
    take(capability: Capability): string | null {
      const heads = [LANE.reserved, LANE.metered]
        .flatMap((lane) =>
          RESOLUTIONS.filter((resolution) => resolution <= capability.maxResolution).map((resolution) =>
            sql.exec<Head>(SQL.head, resolution, lane, capability.maxFps).toArray().at(0),
          ),
        )
        .filter((head) => head !== undefined);
      const [first] = heads.sort((a, b) => a.lane - b.lane || a.vt - b.vt || a.seq - b.seq);
      if (!first) return null;
      sql.exec(SQL.remove, first.resolution, first.lane, first.vt, first.seq);
      sql.exec(SQL.advanceClock, first.vt, first.lane);
      if (first.seq % 256 === 0) sql.exec(SQL.dropIdleTags, first.lane, first.vt);
      return first.job_id;
    },

    size(): number {
      return sql.exec<{ n: number }>(SQL.count).one().n;
    },
  };
}
