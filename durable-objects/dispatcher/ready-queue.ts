import { advanceTag, isCovered, type Offer, USUAL_SHARE } from '#domain/host/fair-queue.ts';
import type { Capability, Need } from '#domain/host/need.ts';
import type { QueuedJob } from '#domain/host/wait.ts';
import type { Backlog, DispatcherRpc, NeedBacklog } from '#rpc/dispatcher.ts';
import { type Backlogs, createBacklogs, type QueuedBatch } from './backlog.ts';
import { createHeads } from './heads.ts';
import { createNeeds } from './needs.ts';
import { SQL } from './queue-statements.ts';
import {
  BEST_EFFORT,
  COVERED,
  LANES,
  migrateQueue,
  type QueueStorage,
  type ReadyRow as Row,
  SHORT,
} from './queue-tables.ts';
import { createShares, type Holder, holderOf } from './shares.ts';
import { createSuspendedAccounts, SUSPENDED_LANES } from './suspended-accounts.ts';

/** How often tags of idle accounts are deleted, in started jobs. */
const SWEEP_EVERY = 256;
/** How many jobs after the next one are checked for a demo that the host has cached. */
const LOOK_FOR_DEMO = 8;
/** How many jobs may pass one because of a cached demo. */
const MOST_PASSED = 4;
/** A longer queue is not counted to its end. */
const MOST_COUNTED = 1000;

type QueuePosition = Pick<Row, 'vt' | 'seq'>;

export interface ReadyQueue extends Pick<DispatcherRpc, 'suspend'> {
  /**
   * Queues a job. A queued job keeps its place, unless it now needs another renderer. Returns its need, and the host
   * that it had.
   */
  add(offer: Offer): { readonly need: Need; readonly endedOn: string | null };
  /**
   * Returns the next job that a host can do. Within the account in turn, it prefers a close job whose demo the host has
   * cached. The job keeps its place and is hidden until it is shown again.
   */
  next(capability: Capability, hostId: string, demoKeys?: readonly string[]): string | null;
  /** Shows a job again after a failed suggestion, in its old place. */
  show(jobId: string): void;
  /** Removes a job that a host works on. A covered one keeps its slot until it is settled. */
  start(jobId: string, hostId: string): void;
  /**
   * Frees a job's place and its slots of host and account. The account's oldest overflowing job is covered next.
   * Returns the host.
   */
  settle(jobId: string): string | null;
  /** Returns how many jobs a host works on. */
  leases(hostId: string): number;
  jobsOf(hostId: string, limit: number): string[];
  /** Returns how many jobs go before this one, a thousand at most; null if it does not wait. */
  before(jobId: string): number | null;
  /** Returns what the queue has on each job, without its place; null for a job that is not queued. */
  find(jobIds: readonly string[]): (Omit<QueuedJob, 'place'> | null)[];
  /** Returns the suspended accounts. */
  suspended(): readonly string[];
  /** Returns how many jobs wait by tier, and since when. */
  backlogs(): Backlog[];
  /** Returns the same by need. */
  needBacklogs(): NeedBacklog[];
  /** Returns how many jobs hosts work on. */
  leased(): number;
  /** Returns how many jobs each host works on. */
  leasesByHost(): Map<string, number>;
}

/**
 * The waiting jobs in the order of assignment: covered, short, best effort; accounts by turns, oldest first
 * within an account. The order is fixed when a job is queued, and jobs of one need are stored together. To find the
 * next one for a host, only the head of each need is read, for any length of the queue.
 * While best-effort jobs wait that the host can do, inspections get at most a quarter of all assigned jobs. While other
 * accounts have such jobs, best-effort jobs of one account get at most its share: an index finds the next account.
 * A suggested job is hidden, only in memory, until it starts, ends or is shown again. Call every method in a
 * transaction. `hasOther`: whether another host that can do this has polled recently.
 */
export function createReadyQueue(
  storage: QueueStorage,
  now: () => number,
  hasOther: (need: Need, hostId: string) => boolean,
  share = USUAL_SHARE,
): ReadyQueue {
  const { sql } = storage;
  storage.transactionSync(() => {
    migrateQueue(sql);
    sql.exec(SQL.addLane, SHORT);
  });
  const needs = createNeeds(sql, (id) => heads.forget(id));
  const suspended = createSuspendedAccounts(sql);
  const holders = sql.exec<{ job_id: string; holder: Holder }>(SQL.holders).toArray();
  const shares = createShares(
    share,
    holders.map(({ job_id, holder }) => [job_id, holder] as const),
  );
  const hidden = new Set<string>();
  const heads = createHeads({ sql, needs, hidden, shares, isAvoided, hasOther });
  let backlogs: Backlogs | null = null;

  function insert(job: Omit<Row, 'lane' | 'vt' | 'seq'>, lane: number) {
    const { need, job_id, account_id, tier, fps, avoid_host, avoid_until, demo_key, passed, queued_at } = job;
    const { resolution } = needs.known(need);
    const clock = sql.exec<QueuePosition>(SQL.clock, lane).one();
    const [tag] = sql.exec<{ vt: number }>(SQL.tag, lane, account_id).toArray();
    const { start, next } = advanceTag(clock.vt, tag?.vt ?? null, { resolution, fps });
    sql.exec(SQL.setTag, lane, account_id, next);
    sql.exec(SQL.advanceSeq, lane);
    const lies = laneOf(account_id, lane);
    const place = [need, lies, start, clock.seq];
    const rest = [job_id, account_id, tier, fps, avoid_host, avoid_until, demo_key, passed, queued_at];
    sql.exec(SQL.insert, ...place, ...rest);
    heads.uncover({ need, lane, vt: start, seq: clock.seq });
    if (lies === lane) backlogs?.add(need, tier, queued_at);
  }

  /** Returns the lane that stores an account's jobs of a lane: another one while the account is suspended. */
  function laneOf(accountId: string, lane: number): number {
    return suspended.has(accountId) ? lane + SUSPENDED_LANES : lane;
  }

  function remove(jobId: string): Row | null {
    const [row] = sql.exec<Row>(SQL.queued, jobId).toArray();
    hidden.delete(jobId);
    if (!row) return null;
    sql.exec(SQL.remove, jobId);
    if (row.lane < SUSPENDED_LANES) backlogs?.remove(row.need, row.tier, row.queued_at);
    return row;
  }

  function settle(jobId: string): string | null {
    remove(jobId);
    shares.release(jobId);
    const [lease] = sql.exec<{ host_id: string }>(SQL.endLease, jobId).toArray();
    freeSlot(jobId);
    return lease?.host_id ?? null;
  }

  /** Gives the slot of a covered job to the account's oldest job without one. */
  function freeSlot(jobId: string): void {
    const [ended] = sql.exec<{ account_id: string }>(SQL.endRun, jobId).toArray();
    if (!ended) return;
    const { account_id } = ended;
    const [next] = sql.exec<Row>(SQL.firstOverflow, account_id, laneOf(account_id, BEST_EFFORT)).toArray();
    if (!next) return;
    const isHidden = hidden.has(next.job_id);
    remove(next.job_id);
    shares.release(next.job_id);
    insert(next, COVERED);
    if (isHidden) hide(next.job_id, COVERED, account_id);
  }

  function hide(jobId: string, lane: number, accountId: string): void {
    hidden.add(jobId);
    shares.hold(jobId, holderOf(lane, accountId));
  }

  /** Whether a job should go to another host. */
  function isAvoided({ need, avoid_host, avoid_until }: Row, hostId: string): boolean {
    return avoid_host === hostId && avoid_until > now() && hasOther(needs.known(need), hostId);
  }

  /** Returns the first and the last account of each need with jobs in the lanes that have shares. */
  function endAccounts(): Set<string> {
    const ends = [...needs.all.keys()].flatMap((need) =>
      [SHORT, BEST_EFFORT].map((lane) => sql.exec<Record<string, string | null>>(SQL.endAccounts, need, lane).one()),
    );
    return new Set(ends.flatMap(({ first, last }) => [first, last].filter((id) => typeof id === 'string')));
  }

  /**
   * Returns the first job, or one close after it of the same account whose demo the host has cached. Both swap places,
   * so the account's turn does not change.
   */
  function preferred(first: Row, hostId: string, demoKeys: readonly string[]): Row {
    const isKept = ({ demo_key }: Row) => demo_key !== null && demoKeys.includes(demo_key);
    if (demoKeys.length === 0 || isKept(first) || first.passed >= MOST_PASSED) return first;
    const { need, lane, vt, seq } = first;
    const near = sql.exec<Row>(SQL.behind, need, lane, vt, seq, LOOK_FOR_DEMO).toArray();
    const isFree = (row: Row) => !hidden.has(row.job_id) && !isAvoided(row, hostId);
    const found = near.find((row) => row.account_id === first.account_id && isKept(row) && isFree(row));
    if (!found) return first;
    sql.exec(SQL.move, vt, -1, found.passed, found.job_id);
    sql.exec(SQL.move, found.vt, found.seq, first.passed + 1, first.job_id);
    sql.exec(SQL.move, vt, seq, found.passed, found.job_id);
    return found;
  }

  /** Counted from the queue once, then updated. */
  function counted(): Backlogs {
    backlogs ??= createBacklogs(sql.exec<QueuedBatch>(SQL.batches).toArray());
    return backlogs;
  }

  return {
    settle,

    add(offer) {
      const { jobId, accountId, tier, slots, fps, avoidHost = null, avoidMs = 0, demoKey = null } = offer;
      const [queued] = sql.exec<Row>(SQL.queued, jobId).toArray();
      if (queued && needs.known(queued.need).renderer === (offer.renderer ?? null)) {
        return { need: needs.known(queued.need), endedOn: null };
      }
      // An offered job runs nowhere, so an older lease ends.
      const endedOn = settle(jobId);
      const needsCount = tier === 'reserved' && slots !== null;
      const covered = needsCount ? sql.exec<{ n: number }>(SQL.covered, accountId).one().n : 0;
      const job = {
        need: needs.idOf(offer),
        job_id: jobId,
        account_id: accountId,
        tier,
        fps,
        demo_key: demoKey,
        passed: 0,
        queued_at: now(),
      };
      const avoid = { avoid_host: avoidHost, avoid_until: avoidHost === null ? 0 : now() + avoidMs };
      const usual = isCovered(offer, covered) ? COVERED : BEST_EFFORT;
      insert({ ...job, ...avoid }, offer.isShort ? SHORT : usual);
      return { need: needs.known(job.need), endedOn };
    },

    next(capability, hostId, demoKeys = []) {
      const first = heads.choose(capability, hostId);
      if (!first) return null;
      const clock = sql.exec<QueuePosition>(SQL.clock, first.lane).one();
      if (first.vt > clock.vt) sql.exec(SQL.advanceClock, first.vt, first.lane);
      const { job_id, account_id } = preferred(first, hostId, demoKeys);
      hide(job_id, first.lane, account_id);
      return job_id;
    },

    show(jobId) {
      if (!hidden.delete(jobId)) return;
      shares.release(jobId);
      const [row] = sql.exec<Row>(SQL.queued, jobId).toArray();
      if (row) heads.uncover(row);
    },

    start(jobId, hostId) {
      const row = remove(jobId);
      const lane = row ? row.lane % SUSPENDED_LANES : COVERED;
      const holder = row && holderOf(lane, row.account_id);
      sql.exec(SQL.lease, jobId, hostId, holder);
      shares.hold(jobId, holder);
      if (!row) return;
      if (lane === COVERED) sql.exec(SQL.run, jobId, row.account_id);
      if (row.seq % SWEEP_EVERY === 0) sql.exec(SQL.dropIdleTags, row.lane, row.vt);
    },

    leases: (hostId) => sql.exec<{ n: number }>(SQL.countLeases, hostId).one().n,

    jobsOf: (hostId, limit) =>
      sql
        .exec<{ job_id: string }>(SQL.leasesOf, hostId, limit)
        .toArray()
        .map(({ job_id }) => job_id),

    before(jobId) {
      const [own] = sql.exec<Row>(SQL.queued, jobId).toArray();
      if (!own || !LANES.includes(own.lane)) return null;
      const { lane, vt, seq } = own;
      let count = 0;
      for (const need of needs.all.keys()) {
        count += sql.exec<{ n: number }>(SQL.before, need, lane, vt, seq, MOST_COUNTED).one().n;
        for (const other of LANES.slice(0, LANES.indexOf(lane))) {
          count += sql.exec<{ n: number }>(SQL.ofLane, need, other, MOST_COUNTED).one().n;
        }
        if (count >= MOST_COUNTED) return MOST_COUNTED;
      }
      return count;
    },

    find(jobIds) {
      let accounts: ReadonlySet<string> | null = null;
      const hasOtherAccount = (accountId: string) => {
        accounts ??= endAccounts();
        return accounts.size > (accounts.has(accountId) ? 1 : 0);
      };
      return jobIds.map((jobId) => {
        const [row] = sql.exec<Row>(SQL.queued, jobId).toArray();
        if (!row) return null;
        const { need, lane, tier, account_id, avoid_host: hostId, avoid_until: until } = row;
        const isOverflow = lane === BEST_EFFORT && tier === 'reserved';
        const hasShares = lane === SHORT || lane === BEST_EFFORT;
        return {
          need: needs.known(need),
          isSuspended: lane >= SUSPENDED_LANES,
          isSuggested: hidden.has(jobId),
          slotsInUse: isOverflow ? sql.exec<{ n: number }>(SQL.covered, account_id).one().n : null,
          isShareUsed: hasShares && shares.isFull(lane, account_id) && hasOtherAccount(account_id),
          avoids: hostId !== null && isAvoided(row, hostId) ? { hostId, until } : null,
        };
      });
    },

    suspend(accountId, isSuspended) {
      suspended.set(accountId, isSuspended);
      // Rolled back rows may be hidden, so marks and counts are read again.
      heads.clear();
      backlogs = null;
    },

    suspended: suspended.all,
    backlogs: () => counted().all(),
    needBacklogs: () =>
      counted()
        .byNeed()
        .map(({ need, ...rest }) => ({ ...rest, need: needs.known(need) })),
    leased: () => sql.exec<{ n: number }>(SQL.countAllLeases).one().n,
    leasesByHost: () =>
      new Map(
        sql
          .exec<{ host_id: string; n: number }>(SQL.leasesByHost)
          .toArray()
          .map(({ host_id, n }) => [host_id, n]),
      ),
  };
}
