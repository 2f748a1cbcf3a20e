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
import type { DispatcherNumbers, Held, HostCount } from '#rpc/dispatcher.ts';
import type { QueueStorage } from './queue-tables.ts';

/** Hosts of which is remembered when they asked last, those that asked last. */
const MOST_SEEN = 100_000;
const MOST_KINDS = 256;
/** Between two that are written: a host may call itself something else with each claim. */
const NOTE_EVERY_MS = 1000;
/** How late what is written of a kind of host may be. */
const NOTED_MS = 60 * 60_000;
/** A kind of host that was there within a day may come back: a fleet may sleep at night. */
const KIND_KEPT_MS = 24 * 60 * 60_000;

const SQL = {
  faults: 'SELECT host_id, faults FROM host_faults',
  setFaults: 'INSERT OR REPLACE INTO host_faults (host_id, faults) VALUES (?, ?)',
  dropFaults: 'DELETE FROM host_faults WHERE host_id = ?',
  kinds: 'SELECT capability, seen_at FROM host_kinds ORDER BY seen_at',
  setKind: 'INSERT OR REPLACE INTO host_kinds (kind, capability, seen_at) VALUES (?, ?, ?)',
  dropKind: 'DELETE FROM host_kinds WHERE kind = ?',
} as const;

/** Of whom nothing is known that the operator wants. */
export const ANYBODY: HostPolicy = { revision: -1, labels: [], hold: null, holdUntil: null };

interface HostSighting {
  readonly at: number;
  readonly build: string;
  readonly policy: HostPolicy;
}

interface Kind {
  readonly capability: Capability;
  readonly at: number;
  /** When that was written. */
  readonly notedAt: number;
}

export interface HostBook {
  /** Notes that a host asks for work. */
  asked(hostId: string, capability: Capability, policy: HostPolicy): void;
  /** When the host asked last, as far as this memory goes. */
  lastSeen(hostId: string): number | null;
  /** Stores a policy that the operator has changed. What hosts bring along may be half a minute older. */
  revise(hostId: string, policy: HostPolicy): void;
  /** What the operator wants of a host that brings this along. */
  policyOf(hostId: string, brought: HostPolicy): HostPolicy;
  /** Why the host gets no work; null where it may. */
  heldBy(hostId: string, policy: HostPolicy): Held | null;
  /** A host that is tried again gets one job. */
  slotsOf(hostId: string, slots: number): number;
  /** An attempt has ended; true where that set its host aside. Repeatable. */
  ended(jobId: string, end: AttemptEnd, canBeSpared: boolean): boolean;
  /** Until when its faults keep the host from work; null where they do not. */
  asideUntil(hostId: string): number | null;
  /** Forgets what a host has failed. */
  forgive(hostId: string): void;
  /** Whether a host that was here within a day could do this. */
  hasKindFor(need: Need): boolean;
  /** Hosts that were here within a day, by state and build. `working`: those that have jobs. */
  count(working: ReadonlySet<string>, pushHosts: ReadonlySet<string>): HostCount[];
  totals(): Pick<DispatcherNumbers, 'ended' | 'expired'>;
}

/**
 * What the dispatcher knows of hosts, beside their jobs. A host that works and stays as it is costs no row: what is
 * written are faults, and once an hour which kinds of host there are.
 */
export function createHostBook({ sql }: Pick<QueueStorage, 'sql'>, now: () => number): HostBook {
  const seen = new Map<string, HostSighting>();
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

  let notedAt = 0;
  const faultsOf = (hostId: string) => faults.get(hostId) ?? NO_FAULTS;

  function forgive(hostId: string): void {
    if (faults.delete(hostId)) sql.exec(SQL.dropFaults, hostId);
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

  /** Those that were there longest ago go first, which are in front. */
  function forgetKinds(): void {
    for (const [other, { at }] of kinds) {
      if (kinds.size <= MOST_KINDS && now() - at < KIND_KEPT_MS) break;
      kinds.delete(other);
      sql.exec(SQL.dropKind, other);
    }
  }

  return {
    asked(hostId, capability, policy) {
      seen.delete(hostId);
      seen.set(hostId, { at: now(), build: capability.gameBuild ?? capability.renderer ?? '', policy });
      const [first] = seen.keys();
      if (seen.size > MOST_SEEN && first !== undefined) seen.delete(first);
      noteKind(capability);
    },

    lastSeen: (hostId) => seen.get(hostId)?.at ?? null,

    revise(hostId, policy) {
      if ((policies.get(hostId)?.revision ?? -1) < policy.revision) policies.set(hostId, policy);
    },

    policyOf(hostId, brought) {
      const revised = policies.get(hostId);
      if (revised && revised.revision > brought.revision) return revised;
      policies.delete(hostId);
      return brought;
    },

    heldBy(hostId, policy) {
      const hold = holdAt(policy, now());
      if (hold !== null) return { held: hold, until: policy.holdUntil };
      const failed = faultsOf(hostId);
      return isSetAside(failed, now()) ? { held: 'set aside', until: failed.until } : null;
    },

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

    hasKindFor(need) {
      for (const { capability, at } of kinds.values()) {
        if (now() - at < KIND_KEPT_MS && canDo(capability, need)) return true;
      }
      return false;
    },

    count(working, pushHosts) {
      const hosts = new Map(seen);
      // Of those that work since before this object came into memory nobody has said more.
      for (const id of working) if (!hosts.has(id)) hosts.set(id, { at: now(), build: '', policy: ANYBODY });
      const counts = new Map<string, HostCount>();
      for (const [id, { at, build, policy }] of hosts) {
        const jobs = working.has(id) ? 1 : 0;
        if (jobs === 0 && now() - at >= KIND_KEPT_MS && !pushHosts.has(id)) continue;
        const faulty = faultsOf(id);
        const asideUntil = isSetAside(faulty, now()) ? faulty.until : null;
        const wish = policies.get(id) ?? policy;
        const lastSeen = pushHosts.has(id) ? now() : at;
        const state = hostState({ ...wish, isRevoked: false, lastSeen, asideUntil, jobs }, now());
        const key = `${state} ${build}`;
        counts.set(key, { state, build, count: (counts.get(key)?.count ?? 0) + 1 });
      }
      return [...counts.values()];
    },

    totals: () => ({ ended: { ...ends.ended }, expired: ends.expired }),
  };
}
