import * as z from 'zod';
import { type HostPolicy, type HostState, holdAt, hostState, type Rest } from '#domain/host/host-state.ts';
import { type Capability, CapabilityShape, canDo, kindOf, type Need } from '#domain/host/need.ts';
import {
  type AttemptEnd,
  AttemptEndShape,
  afterAttempt,
  type HostFaults,
  HostFaultsShape,
  isOnTrial,
  isSetAside,
  NO_FAULTS,
} from '#domain/host/set-aside.ts';
import type { Fleet, HostGroup, Readiness } from '#domain/host/wait.ts';
import type { DispatcherNumbers, EndedOnHost, Held, HostActivity, HostCount } from '#rpc/dispatcher.ts';
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
/** How outdated the stored sightings and ended attempts may be: one row a minute for all hosts together. */
const SAVED_MS = 60_000;
/** How many of them are stored: together below 2 MB, which is the limit of a row. */
const MOST_SAVED = 10_000;
const MOST_ENDED = 2000;
/** A poll is held for up to 25 seconds. */
const POLL_MS = 30_000;
/** All hosts have called within this time. */
const ALL_CALL_MS = 60_000;

const SQL = {
  faults: 'SELECT host_id, faults FROM host_faults',
  setFaults: 'INSERT OR REPLACE INTO host_faults (host_id, faults) VALUES (?, ?)',
  dropFaults: 'DELETE FROM host_faults WHERE host_id = ?',
  kinds: 'SELECT capability, seen_at FROM host_kinds ORDER BY seen_at',
  setKind: 'INSERT OR REPLACE INTO host_kinds (kind, capability, seen_at) VALUES (?, ?, ?)',
  dropKind: 'DELETE FROM host_kinds WHERE kind = ?',
  notes: 'SELECT notes FROM host_notes',
  setNotes: 'INSERT OR REPLACE INTO host_notes (id, notes) VALUES (0, ?)',
  working: 'SELECT DISTINCT host_id FROM leases',
} as const;

export const ANYBODY: HostPolicy = { revision: -1, labels: [], hold: null, holdUntil: null };

interface HostSighting {
  readonly at: number;
  /** Null if it has not polled since this object started. */
  readonly capability: Capability | null;
  readonly policy: HostPolicy;
  readonly isBarred: boolean;
  readonly isClockOff: boolean;
  /** Whether a lease of it ended without a sign of life, and none came since. */
  readonly isSilent: boolean;
  readonly freeBytes: number | null;
  /** How many jobs a push host is sent. */
  readonly slots: number;
}

const UNSEEN: HostSighting = {
  at: 0,
  capability: null,
  policy: ANYBODY,
  isBarred: false,
  isClockOff: false,
  isSilent: false,
  freeBytes: null,
  slots: 0,
};

/** The stored sightings (host, time, silent, free bytes) and ended attempts, each the latest last. */
const Notes = z.object({
  seen: z.array(z.tuple([z.string(), z.number(), z.boolean(), z.number().nullable()])),
  ended: z.array(AttemptEndShape.extend({ jobId: z.string() })),
});

type Present = HostSighting & { readonly id: string; readonly jobs: number };

/** A host that asks for work. */
interface Sighted extends Partial<Pick<HostSighting, 'isBarred' | 'isClockOff' | 'freeBytes' | 'slots'>> {
  readonly hostId: string;
  readonly policy: HostPolicy;
  readonly capability: Capability;
}

interface Kind {
  readonly capability: Capability;
  readonly at: number;
  /** When that was stored. */
  readonly notedAt: number;
}

export interface HostBook {
  /** Records a poll. `isBarred`: the host's build of the game gets no jobs. */
  asked(host: Sighted): void;
  /** Records a push host. It does not poll, so it is seen all the time until it takes no job, or falls silent. */
  notePushHost(host: Sighted & { readonly rest: Rest | null }): void;
  forgetPushHost(hostId: string): void;
  /** Records that a host has confirmed a job. */
  started(hostId: string): void;
  /** Returns what is known of a host, with at most `most` of its ended attempts. */
  activity(hostId: string, most: number): Omit<HostActivity, 'jobs'>;
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
  /** Resets the faults of a host, and that it is silent. */
  forgive(hostId: string): void;
  /** Whether a host that was seen within a day can do this. */
  hasKindFor(need: Need): boolean;
  /**
   * Whether a host that is neither held nor barred can do this, and works or was seen within `withinMs`. A dispatcher
   * that has not run for so long, or that has not seen a host that works, also counts the stored kinds of hosts.
   */
  hasHostFor(need: Need, withinMs: number): boolean;
  /** Counts render hosts that were seen within a day or work, by state and build. */
  count(): HostCount[];
  /**
   * Returns the hosts that are there, by kind and readiness. `loads`: how many jobs each of them has. `polling`: hosts
   * whose poll is held.
   */
  fleet(loads: ReadonlyMap<string, number>, polling: ReadonlySet<string>): Fleet;
  totals(): Pick<DispatcherNumbers, 'ended' | 'expired'>;
}

/**
 * Stores facts about hosts, beside their jobs: each fault, once an hour the kinds of hosts, and once a minute one row
 * with the sightings and ended attempts of all of them. `leaseTtl`: the time without a heartbeat that ends a lease, in
 * milliseconds.
 */
export function createHostBook({ sql }: Pick<QueueStorage, 'sql'>, now: () => number, leaseTtl: number): HostBook {
  const seen = new Map<string, HostSighting>();
  const ended = new Map<string, EndedOnHost>();
  const pushHosts = new Map<string, Rest | null>();
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

  for (const row of sql.exec<{ notes: string }>(SQL.notes).toArray()) {
    const notes = Notes.parse(JSON.parse(row.notes));
    for (const [id, at, isSilent, freeBytes] of notes.seen) seen.set(id, { ...UNSEEN, at, isSilent, freeBytes });
    for (const end of notes.ended) ended.set(`${end.jobId}.${end.fence}`, end);
  }

  const startedAt = now();
  let savedAt = startedAt;
  let notedAt = 0;
  const faultsOf = (hostId: string) => faults.get(hostId) ?? NO_FAULTS;

  function forgive(hostId: string): void {
    if (faults.delete(hostId)) sql.exec(SQL.dropFaults, hostId);
  }

  /** Records a sign of life. */
  function noteLife(hostId: string, at: number): void {
    const before = seen.get(hostId) ?? UNSEEN;
    if (at > before.at) see(hostId, { ...before, at, isSilent: false });
  }

  function see(hostId: string, sighting: HostSighting): void {
    const wasSilent = seen.get(hostId)?.isSilent === true;
    seen.delete(hostId);
    seen.set(hostId, sighting);
    const [first] = seen.keys();
    if (seen.size > MOST_SEEN && first !== undefined) seen.delete(first);
    if (now() - savedAt >= SAVED_MS || wasSilent !== sighting.isSilent) save();
  }

  function save(): void {
    savedAt = now();
    const latest = [...seen].slice(-MOST_SAVED);
    const notes = {
      seen: latest.map(([id, { at, isSilent, freeBytes }]) => [id, at, isSilent, freeBytes]),
      ended: [...ended.values()],
    };
    sql.exec(SQL.setNotes, JSON.stringify(notes));
  }

  /** Stores the end of an attempt. A repeated call changes nothing. */
  function noteEnd(jobId: string, { isExpired, ...end }: AttemptEnd): void {
    const key = `${jobId}.${end.fence}`;
    if (ended.has(key)) return;
    ended.set(key, { ...end, jobId });
    const [first] = ended.keys();
    if (ended.size > MOST_ENDED && first !== undefined) ended.delete(first);
    const before = seen.get(end.hostId) ?? UNSEEN;
    // The host of a run that exceeds its time may be alive: such a run ends with `render_failed`.
    if (!isExpired || end.code !== 'cs2_unavailable') noteLife(end.hostId, end.at);
    else if (before.at + POLL_MS < end.at) {
      see(end.hostId, { ...before, at: Math.max(before.at, end.at - leaseTtl), isSilent: true });
    }
  }

  /** Returns when the host was last seen; 0 if it was not. */
  function lastSeen(hostId: string): number {
    const { at, isSilent } = seen.get(hostId) ?? UNSEEN;
    return pushHosts.get(hostId) === null && !isSilent ? now() : at;
  }

  function asideUntil(hostId: string): number | null {
    const failed = faultsOf(hostId);
    return isSetAside(failed, now()) ? failed.until : null;
  }

  function slotsOf(hostId: string, slots: number): number {
    return isOnTrial(faultsOf(hostId), now()) ? Math.min(1, slots) : slots;
  }

  function heldBy(hostId: string, policy: HostPolicy): Held | null {
    const hold = holdAt(policy, now());
    if (hold !== null) return { held: hold, until: policy.holdUntil };
    const until = asideUntil(hostId);
    return until === null ? null : { held: 'set aside', until };
  }

  /** Returns the hosts that work (`jobs`), were seen within a day, or are push hosts. Forgets all others. */
  function* present(): Generator<Present> {
    const rows = sql.exec<{ host_id: string }>(SQL.working).toArray();
    const working = new Set(rows.map(({ host_id }) => host_id));
    for (const [id, sighting] of seen) {
      const jobs = working.delete(id) ? 1 : 0;
      const at = lastSeen(id);
      if (jobs > 0 || pushHosts.has(id) || now() - at < KIND_KEPT_MS) yield { ...sighting, id, at, jobs };
      else seen.delete(id);
    }
    for (const id of working) yield { ...UNSEEN, id, jobs: 1 };
  }

  function stateOf({ id, at, policy, ...host }: Present): HostState {
    const facts = { rest: pushHosts.get(id) ?? null, asideUntil: asideUntil(id), lastSeen: at, isRevoked: false };
    return hostState({ ...(policies.get(id) ?? policy), ...host, ...facts }, now());
  }

  /** Returns whether a host can take a job now, or why not; null if it is not there. */
  function readinessOf(
    host: Present,
    load: number,
    isPolling: boolean,
  ): { readonly readiness: Readiness; readonly until: number | null } | null {
    const { id, policy, slots } = host;
    const aside = asideUntil(id);
    switch (stateOf({ ...host, jobs: Math.max(host.jobs, load) })) {
      case 'gone':
      case 'lost':
        return null;
      case 'paused':
      case 'draining':
        return { readiness: 'held', until: (policies.get(id) ?? policy).holdUntil };
      case 'set aside':
        return { readiness: aside === null ? 'barred' : 'set aside', until: aside };
      case 'resting':
        return { readiness: 'resting', until: pushHosts.get(id)?.until ?? null };
    }
    // A host polls only while it can take a job.
    const isFree = pushHosts.has(id) ? load < slotsOf(id, slots) : isPolling || load === 0;
    return { readiness: isFree ? 'free' : 'busy', until: null };
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
    asked({ hostId, ...host }) {
      see(hostId, { ...UNSEEN, ...host, at: now() });
      noteKind(host.capability);
    },

    notePushHost({ hostId, rest, ...host }) {
      const before = seen.get(hostId) ?? UNSEEN;
      const isSilent = before.isSilent && rest === null;
      pushHosts.set(hostId, rest);
      see(hostId, { ...before, ...host, isSilent, at: rest === null && !isSilent ? now() : before.at });
      if (rest === null) noteKind(host.capability);
    },

    forgetPushHost: (hostId) => void pushHosts.delete(hostId),
    started: (hostId) => noteLife(hostId, now()),

    activity(hostId, most) {
      const { isSilent, freeBytes } = seen.get(hostId) ?? UNSEEN;
      const known = { lastSeen: lastSeen(hostId) || null, isSilent, freeBytes, asideUntil: asideUntil(hostId) };
      const ofHost = most === 0 ? [] : [...ended.values()].filter((end) => end.hostId === hostId);
      // A repeated call may report an end late.
      const latest = ofHost
        .slice(-most)
        .reverse()
        .sort((a, b) => b.at - a.at);
      return { ...known, rest: pushHosts.get(hostId) ?? null, ended: latest };
    },

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

    slotsOf,

    ended(jobId, end, canBeSpared) {
      noteEnd(jobId, end);
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

    forgive(hostId) {
      forgive(hostId);
      const sighting = seen.get(hostId);
      if (sighting?.isSilent) see(hostId, { ...sighting, isSilent: false });
    },

    hasKindFor,

    hasHostFor(need, withinMs) {
      for (const { id, at, jobs, capability, policy, isBarred } of present()) {
        // A host that has not asked since a restart counts by its kind, below.
        if (jobs === 0 && (capability === null || now() - at >= withinMs)) continue;
        const isAble = capability ? canDo(capability, need) : hasKindFor(need);
        if (isAble && !isBarred && heldBy(id, policies.get(id) ?? policy) === null) return true;
      }
      return now() - startedAt < withinMs && hasKindFor(need, startedAt - withinMs - NOTED_MS);
    },

    count() {
      const counts = new Map<string, HostCount>();
      for (const host of present()) {
        const { capability, isClockOff } = host;
        const build = capability?.gameBuild ?? capability?.renderer ?? '';
        const state = stateOf(host);
        const key = `${state} ${build}`;
        const { count, clocksOff } = counts.get(key) ?? { count: 0, clocksOff: 0 };
        counts.set(key, { state, build, count: count + 1, clocksOff: clocksOff + Number(isClockOff) });
      }
      return [...counts.values()];
    },

    fleet(loads, polling) {
      const groups = new Map<string, HostGroup>();
      for (const sighting of present()) {
        const { id, capability } = sighting;
        const load = loads.get(id) ?? 0;
        const ready = readinessOf(sighting, load, polling.has(id));
        // An idle host that has not polled since a restart counts by its kind.
        if (ready === null || (capability === null && load === 0)) continue;
        const key = `${ready.readiness} ${capability ? kindOf(capability) : ''}`;
        const { count = 0, until = null } = groups.get(key) ?? {};
        const first = until === null || ready.until === null ? (until ?? ready.until) : Math.min(until, ready.until);
        groups.set(key, { capability, readiness: ready.readiness, until: first, count: count + 1, hostId: id });
      }
      const isRecent = ({ at }: Kind) => at > now() - KIND_KEPT_MS;
      const recent = [...kinds.values()].filter(isRecent).map(({ capability, at }) => ({ capability, at }));
      return { groups: [...groups.values()], kinds: recent, isStarting: now() - startedAt < ALL_CALL_MS };
    },

    totals: () => ({ ended: { ...ends.ended }, expired: ends.expired }),
  };
}
