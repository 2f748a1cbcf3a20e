import { GRAIN_MS } from './backlog.ts';
import { SUSPENDED_LANES } from './suspended-accounts.ts';

/** The next jobs of one need and lane after a position. It reads the primary key from there, without scan or sort. */
export const BEHIND = `SELECT * FROM ready WHERE need = ? AND lane = ? AND (vt, seq) > (?, ?) ORDER BY vt, seq LIMIT ?`;

/**
 * The same for one account, and the accounts that have jobs of one need and lane, in the order of their first jobs.
 * Each account takes two searches, however many jobs it has.
 */
export const BEHIND_OF = `SELECT * FROM ready INDEXED BY ready_account
  WHERE need = ? AND lane = ? AND account_id = ? AND (vt, seq) > (?, ?) ORDER BY vt, seq LIMIT 1`;
const OF_ACCOUNT = 'FROM ready INDEXED BY ready_account WHERE need = ?1 AND lane = ?2 AND account_id';
export const ACCOUNTS = `WITH RECURSIVE waiting (id) AS (
    SELECT (SELECT MIN(account_id) ${OF_ACCOUNT} > '')
    UNION ALL SELECT (SELECT MIN(account_id) ${OF_ACCOUNT} > id) FROM waiting WHERE id IS NOT NULL)
  SELECT id, (SELECT vt ${OF_ACCOUNT} = id ORDER BY vt LIMIT 1) AS vt FROM waiting WHERE id IS NOT NULL ORDER BY vt`;

/** The statements of the queue. */
export const SQL = {
  addLane: 'INSERT OR IGNORE INTO clocks (lane, vt, seq) VALUES (?, 0, 0)',
  clock: 'SELECT vt, seq FROM clocks WHERE lane = ?',
  tag: 'SELECT vt FROM tags WHERE lane = ? AND account_id = ?',
  setTag: `INSERT INTO tags (lane, account_id, vt) VALUES (?, ?, ?)
    ON CONFLICT (lane, account_id) DO UPDATE SET vt = excluded.vt`,
  advanceSeq: 'UPDATE clocks SET seq = seq + 1 WHERE lane = ?',
  insert: `INSERT INTO ready
    (need, lane, vt, seq, job_id, account_id, tier, fps, avoid_host, avoid_until, demo_key, passed, queued_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  move: 'UPDATE ready SET vt = ?, seq = ?, passed = ? WHERE job_id = ?',
  behind: BEHIND,
  behindOf: BEHIND_OF,
  accounts: ACCOUNTS,
  queued: 'SELECT * FROM ready WHERE job_id = ?',
  remove: 'DELETE FROM ready WHERE job_id = ?',
  advanceClock: 'UPDATE clocks SET vt = ? WHERE lane = ?',
  dropIdleTags: 'DELETE FROM tags WHERE lane = ? AND vt <= ?',
  covered: `SELECT (SELECT COUNT(*) FROM running WHERE account_id = ?1)
    + (SELECT COUNT(*) FROM ready WHERE account_id = ?1 AND lane IN (0, ${SUSPENDED_LANES}) AND tier = 'reserved') AS n`,
  run: 'INSERT OR IGNORE INTO running (job_id, account_id) VALUES (?, ?)',
  endRun: 'DELETE FROM running WHERE job_id = ? RETURNING account_id',
  lease: `INSERT INTO leases (job_id, host_id, holder) VALUES (?, ?, ?) ON CONFLICT (job_id)
    DO UPDATE SET host_id = excluded.host_id, holder = COALESCE(excluded.holder, holder)`,
  holders: 'SELECT job_id, holder FROM leases',
  endLease: 'DELETE FROM leases WHERE job_id = ? RETURNING host_id',
  countLeases: 'SELECT COUNT(*) AS n FROM leases WHERE host_id = ?',
  leasesOf: 'SELECT job_id FROM leases WHERE host_id = ? ORDER BY job_id LIMIT ?',
  firstOverflow: `SELECT * FROM ready WHERE account_id = ? AND lane = ? AND tier = 'reserved' ORDER BY seq LIMIT 1`,
  batches: `SELECT need, tier, queued_at / ${GRAIN_MS} AS at, COUNT(*) AS n FROM ready
    WHERE lane < ${SUSPENDED_LANES} GROUP BY 1, 2, 3`,
  leasesByHost: 'SELECT host_id, COUNT(*) AS n FROM leases GROUP BY host_id',
  endAccounts: `SELECT (SELECT MIN(account_id) ${OF_ACCOUNT} > '') AS first,
    (SELECT MAX(account_id) ${OF_ACCOUNT} > '') AS last`,
  countAllLeases: 'SELECT COUNT(*) AS n FROM leases',
  before: `SELECT COUNT(*) AS n FROM
    (SELECT 1 FROM ready WHERE need = ? AND lane = ? AND (vt, seq) < (?, ?) LIMIT ?)`,
  ofLane: 'SELECT COUNT(*) AS n FROM (SELECT 1 FROM ready WHERE need = ? AND lane = ? LIMIT ?)',
  needs: 'SELECT id, need FROM needs',
  addNeed: 'INSERT INTO needs (need) VALUES (?) RETURNING id',
  isNeeded: 'SELECT 1 FROM ready WHERE need = ? LIMIT 1',
  dropNeed: 'DELETE FROM needs WHERE id = ?',
} as const;
