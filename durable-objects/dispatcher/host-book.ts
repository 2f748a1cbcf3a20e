import { type HostPolicy, holdAt, hostState } from '#domain/host-state.ts';
import { type Capability, CapabilityShape, canDo, kindOf, type Need } from '#domain/need.ts';
import {
  type AttemptEnd,
  afterAttempt,
  type HostFaults,
  HostFaultsShape,
  isOnTrial,
  isSetAside,
  NO_FAULTS,
} from '#domain/set-aside.ts';
import type { DispatcherNumbers, Held, HostCount, WorkQuery } from '#rpc/dispatcher.ts';
import { AWAY } from './queue-statements.ts';
import type { QueueStorage } from './queue-tables.ts';

/** Hosts whose last poll is kept in memory, the latest ones. */
const MOST_SEEN = 100_000;
const MOST_KINDS = 256;
/** The least time between two writes: a host may report another build with each claim. */
const NOTE_EVERY_MS = 1000;
/** How outdated a stored kind of host may be. */
const NOTED_MS = 60 * 60_000;
/** A kind of host that was seen within a day may return: a fleet may be off at night. */
const KIND_KEPT_MS = 24 * 60 * 60_000;

const SQL = {
  faults: 'SELECT host_id, faults FROM host_faults',
  setFaults: 'INSERT OR REPLACE INTO host_faults (host_id, faults) VALUES (?, ?)',
  dropFaults: 'DELETE FROM host_faults WHERE host_id = ?',
  kinds: 'SELECT capability, seen_at FROM host_kinds ORDER BY seen_at',
  setKind: 'INSERT OR REPLACE INTO host_kinds (kind, capability, seen_at) VALUES (?, ?, ?)',
  dropKind: 'DELETE FROM host_kinds WHERE kind = ?',
  working: `SELECT DISTINCT host_id FROM leases WHERE host_id <> '${AWAY}'`,
} as const;

/** The policy of a host without one. */
export const ANYBODY: HostPolicy = { revision: -1, labels: [], hold: null, holdUntil: null };

interface HostSighting {
  readonly at: number;
  /** Null if it has not polled since this object started. */
  readonly capability: Capability | null;
  readonly policy: HostPolicy;
  readonly isBarred: boolean;
  readonly isClockOff: boolean;
}

const UNSEEN: HostSighting = { at: 0, capability: null, policy: ANYBODY, isBarred: false, isClockOff: false };

interface Kind {
  readonly capability: Capability;
  readonly at: number;
  /** When that was stored. */
  readonly notedAt: number;
}

type HostFlags = Pick<WorkQuery, 'isBarred' | 'isClockOff'>;

export interface HostBook {
  /** Records a poll. `isBarred`: the host's build of the game gets no jobs. */
  asked(hostId: string, capability: Capability, policy: HostPolicy, flags?: HostFlags): void;
  /** Records whether a push host takes jobs. It does not poll, so it is seen all the time until it takes none. */
  notePushHost(hostId: string, takesJobs: boolean): void;
  /** Returns the host's last poll, if it is in memory. */
  lastSeen(hostId: string): number | null;
  /** Stores a changed policy. The policy in a poll may be half a minute older. */
  revise(hostId: string, policy: HostPolicy): void;
  /** Returns the newer policy: the stored one or that of the poll. */
  policyOf(hostId: string, brought: HostPolicy): HostPolicy;
  /** Returns why the host gets no work; null if it may. */
  heldBy(hostId: string, policy: HostPolicy): Held | null;
  /** Returns the host's slots; one if it is on trial. */
  slotsOf(hostId: string, slots: number): number;
  /** Counts the end of an attempt. Returns true if that set its host aside. Repeatable. */
  ended(jobId: string, end: AttemptEnd, canBeSpared: boolean): boolean;
  /** Returns until when the host is set aside; null if it is not. */
  asideUntil(hostId: string): number | null;
  /** Resets the faults of a host. */
  forgive(hostId: string): void;
  /** Whether a host that was seen within a day can do this. */
  hasKindFor(need: Need): boolean;
  /**
   * Whether a host that is neither held nor barred can do this, and works or was seen within `withinMs`. A dispatcher
   * that has not run for so long, or that has not seen a host that works, also counts the stored kinds of hosts.
   */
  hasHostFor(need: Need, withinMs: number): boolean;
  /** Counts hosts that were seen within a day or work, by state and build. */
  count(): HostCount[];
  totals(): Pick<DispatcherNumbers, 'ended' | 'expired'>;
}

/**
 * Stores facts about hosts, beside their jobs. Normal work writes no rows: only faults are stored, and once an hour the
 * kinds of hosts.
 */
export function createHostBook({ sql }: Pick<QueueStorage, 'sql'>, now: () => number): HostBook {
  const seen = new Map<string, HostSighting>();
  const pushHosts = new Set<string>();
  const ends = { ended: {} as Record<string, number>, expired: 0 };
  const policies = new Map<string, HostPolicy>();
  const faults = new Map<string, HostFaults>();
  const kinds = new Map<string, Kind>();
  for (const row of sql.exec<{ host_id: string; faults: string }>(SQL.faults).toArray()) {
    faults.set(row.host_id, HostFaultsShape.parse(JSON.parse(row.faults)));
  }
  for (const row of sql.exec<{ capability: string; seen_at: number }>(SQL.kinds).toArray()) {
    const capability = CapabilityShape.parse(JSON.parse(row.capability));
    kinds.set(kindOf(capability), { capability, at: row.seen_at, notedAt: row.seen_at });
  }

  const startedAt = now();
  let notedAt = 0;
  const faultsOf = (hostId: string) => faults.get(hostId) ?? NO_FAULTS;

  function forgive(hostId: string): void {
    if (faults.delete(hostId)) sql.exec(SQL.dropFaults, hostId);
  }

  function heldBy(hostId: string, policy: HostPolicy): Held | null {
    const hold = holdAt(policy, now());
    if (hold !== null) return { held: hold, until: policy.holdUntil };
    const failed = faultsOf(hostId);
    return isSetAside(failed, now()) ? { held: 'set aside', until: failed.until } : null;
  }

  /**
   * Returns the hosts that work (`jobs`) or were seen within this time. Forgets those that were not seen within a day.
   */
  function* present(withinMs: number): Generator<HostSighting & { readonly id: string; readonly jobs: 0 | 1 }> {
    const rows = sql.exec<{ host_id: string }>(SQL.working).toArray();
    const working = new Set(rows.map(({ host_id }) => host_id));
    for (const [id, sighting] of seen) {
      const jobs = working.delete(id) ? 1 : 0;
      const at = pushHosts.has(id) ? now() : sighting.at;
      if (jobs > 0 || now() - at < withinMs) yield { ...sighting, id, at, jobs };
      else if (now() - at >= KIND_KEPT_MS) seen.delete(id);
    }
    for (const id of working) yield { ...UNSEEN, id, jobs: 1 };
  }

  function hasKindFor(need: Need, since = now() - KIND_KEPT_MS): boolean {
    for (const { capability, at } of kinds.values()) if (at > since && canDo(capability, need)) return true;
    return false;
  }

  function noteKind(capability: Capability): void {
    const key = kindOf(capability);
    const known = kinds.get(key);
    const isFresh = known !== undefined && now() - known.notedAt < NOTED_MS;
    const isNoted = isFresh || now() - notedAt < NOTE_EVERY_MS;
    kinds.delete(key);
    kinds.set(key, { capability, at: now(), notedAt: isNoted ? (known?.notedAt ?? 0) : now() });
    forgetKinds();
    if (isNoted) return;
    notedAt = now();
    sql.exec(SQL.setKind, key, JSON.stringify(capability), now());
  }

  /** Deletes the oldest kinds, which are first. */
  function forgetKinds(): void {
    for (const [other, { at }] of kinds) {
      if (kinds.size <= MOST_KINDS && now() - at < KIND_KEPT_MS) break;
      kinds.delete(other);
      sql.exec(SQL.dropKind, other);
    }
  }

  return {
    asked(hostId, capability, policy, { isBarred = false, isClockOff = false } = {}) {
      seen.delete(hostId);
      seen.set(hostId, { at: now(), capability, policy, isBarred, isClockOff });
      const [first] = seen.keys();
      if (seen.size > MOST_SEEN && first !== undefined) seen.delete(first);
      noteKind(capability);
    },

    notePushHost(hostId, takesJobs) {
      if (takesJobs) pushHosts.add(hostId);
      else pushHosts.delete(hostId);
    },

    lastSeen: (hostId) => (pushHosts.has(hostId) ? now() : (seen.get(hostId)?.at ?? null)),

    revise(hostId, policy) {
      if ((policies.get(hostId)?.revision ?? -1) < policy.revision) policies.set(hostId, policy);
    },

    policyOf(hostId, brought) {
      const revised = policies.get(hostId);
      if (revised && revised.revision > brought.revision) return revised;
      policies.delete(hostId);
      return brought;
    },

    heldBy,

    slotsOf: (hostId, slots) => (isOnTrial(faultsOf(hostId), now()) ? Math.min(1, slots) : slots),

    ended(jobId, end, canBeSpared) {
      const before = faultsOf(end.hostId);
      const after = afterAttempt(before, jobId, end, canBeSpared);
      ends.ended[end.code ?? ''] = (ends.ended[end.code ?? ''] ?? 0) + 1;
      if (end.isExpired) ends.expired++;
      if (after === before) return false;
      if (after.jobs.length === 0 && after.times === 0) {
        forgive(end.hostId);
        return false;
      }
      faults.set(end.hostId, after);
      sql.exec(SQL.setFaults, end.hostId, JSON.stringify(after));
      return after.until > before.until;
    },

    asideUntil(hostId) {
      const failed = faultsOf(hostId);
      return isSetAside(failed, now()) ? failed.until : null;
    },

    forgive,

    hasKindFor,

    hasHostFor(need, withinMs) {
      for (const { id, capability, policy, isBarred } of present(withinMs)) {
        const isAble = capability ? canDo(capability, need) : hasKindFor(need);
        if (isAble && !isBarred && heldBy(id, policies.get(id) ?? policy) === null) return true;
      }
      return now() - startedAt < withinMs && hasKindFor(need, startedAt - withinMs - NOTED_MS);
    },

    count() {
      const counts = new Map<string, HostCount>();
      for (const { id, at: lastSeen, capability, policy, isBarred, isClockOff, jobs } of present(KIND_KEPT_MS)) {
        const build = capability?.gameBuild ?? capability?.renderer ?? '';
        const faulty = faultsOf(id);
        const asideUntil = isSetAside(faulty, now()) ? faulty.until : null;
        const wish = policies.get(id) ?? policy;
        const state = hostState({ ...wish, isRevoked: false, lastSeen, asideUntil, isBarred, jobs }, now());
        const key = `${state} ${build}`;
        const { count, clocksOff } = counts.get(key) ?? { count: 0, clocksOff: 0 };
        counts.set(key, { state, build, count: count + 1, clocksOff: clocksOff + Number(isClockOff) });
      }
      return [...counts.values()];
    },

    totals: () => ({ ended: { ...ends.ended }, expired: ends.expired }),
  };
}
