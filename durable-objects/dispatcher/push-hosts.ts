import * as z from 'zod';
import { HOLDS, type HostPolicy } from '#domain/host/host-state.ts';
import { CapabilityShape } from '#domain/host/need.ts';
import type { RegisteredPushHost, Suggestion } from '#rpc/dispatcher.ts';
import type { Dispatch } from './dispatch.ts';
import { ANYBODY, type HostBook } from './host-book.ts';
import type { QueueStorage } from './queue-tables.ts';

/** One row for each host, whatever the queue holds. */
const SQL = {
  create: 'CREATE TABLE IF NOT EXISTS push_hosts (host_id TEXT PRIMARY KEY, host TEXT NOT NULL) WITHOUT ROWID',
  all: 'SELECT host FROM push_hosts',
  find: 'SELECT host FROM push_hosts WHERE host_id = ?',
  save: 'INSERT OR REPLACE INTO push_hosts (host_id, host) VALUES (?, ?)',
  remove: 'DELETE FROM push_hosts WHERE host_id = ?',
} as const;

// Loose objects keep fields that are not listed here, such as those that a later version adds.
export const Policy: z.ZodType<HostPolicy> = z.looseObject({
  revision: z.int(),
  labels: z.array(z.string()),
  hold: z.enum(HOLDS).nullable(),
  holdUntil: z.number().nullable(),
  isUnfit: z.boolean().optional(),
});

const Host: z.ZodType<RegisteredPushHost> = z.looseObject({
  hostId: z.string(),
  slots: z.int(),
  capability: CapabilityShape,
  policy: Policy.optional(),
  rest: z.looseObject({ why: z.string(), isAsked: z.boolean(), until: z.number().nullable() }).nullable(),
});

export interface PushHostRows {
  load(): RegisteredPushHost[];
  /** Writes nothing if nothing changes. */
  save(host: RegisteredPushHost): void;
  remove(hostId: string): void;
}

/** Stores push hosts. They do not poll, so the dispatcher has to keep them. */
export function createPushHostRows(sql: QueueStorage['sql']): PushHostRows {
  sql.exec(SQL.create);
  return {
    load: () =>
      sql
        .exec<{ host: string }>(SQL.all)
        .toArray()
        .map(({ host }) => Host.parse(JSON.parse(host))),

    save(host) {
      const text = JSON.stringify(host);
      const [before] = sql.exec<{ host: string }>(SQL.find, host.hostId).toArray();
      if (before?.host !== text) sql.exec(SQL.save, host.hostId, text);
    },

    remove(hostId) {
      sql.exec(SQL.remove, hostId);
    },
  };
}

interface PushHostsContext {
  readonly sql: QueueStorage['sql'];
  readonly dispatch: Dispatch;
  readonly hosts: HostBook;
  /** Sends a host a suggested job. */
  push(hostId: string, suggestion: Suggestion): void;
  /** Has `refreshAll` called at this time (milliseconds since the epoch), also if the object is evicted meanwhile. */
  wakeAt(at: number): void;
}

export interface PushHosts {
  has(hostId: string): boolean;
  register(host: RegisteredPushHost): void;
  unregister(hostId: string): void;
  /** Applies the host's policy and faults to what it is sent. Does nothing for any other host. */
  refresh(hostId: string): void;
  /** The same for all hosts. Call `Dispatch.look` afterwards. */
  refreshAll(): void;
}

/** The registered push hosts, each as the operator and its own faults allow. `Dispatch.look` then serves them. */
export function createPushHosts({ sql, dispatch, hosts, push, wakeAt }: PushHostsContext): PushHosts {
  const rows = createPushHostRows(sql);
  const registered = new Map(rows.load().map((host) => [host.hostId, host]));

  function refresh(hostId: string): void {
    const host = registered.get(hostId);
    if (!host) return;
    const policy = hosts.policyOf(hostId, host.policy ?? ANYBODY);
    const capability = { ...host.capability, labels: policy.labels };
    const isBarred = policy.isUnfit === true;
    hosts.notePushHost({ hostId, capability, policy, isBarred, slots: host.slots, rest: host.rest });
    const held = hosts.heldBy(hostId, policy);
    if (held === null && !isBarred && host.slots > 0) {
      const slots = hosts.slotsOf(hostId, host.slots);
      dispatch.registerPushHost({ hostId, slots, capability, answer: (suggestion) => push(hostId, suggestion) });
      return;
    }
    dispatch.unregisterPushHost(hostId);
    if (held !== null && held.until !== null) wakeAt(held.until);
  }

  function refreshAll(): void {
    for (const hostId of registered.keys()) refresh(hostId);
  }

  refreshAll();
  return {
    refreshAll,
    has: (hostId) => registered.has(hostId),
    refresh,

    register(host) {
      rows.save(host);
      registered.set(host.hostId, host);
      refresh(host.hostId);
    },

    unregister(hostId) {
      rows.remove(hostId);
      registered.delete(hostId);
      hosts.forgetPushHost(hostId);
      dispatch.unregisterPushHost(hostId);
    },
  };
}
