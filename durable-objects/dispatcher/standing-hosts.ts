import * as z from 'zod';
import { HOLDS, type HostPolicy } from '#domain/host-state.ts';
import { CapabilityShape } from '#domain/need.ts';
import type { QueueStorage } from './queue-tables.ts';
import type { Waiter } from './waiter.ts';

/** A host that is called: how many jobs it may have now, and what it can do. */
export interface StandingHost extends Pick<Waiter, 'hostId' | 'slots' | 'capability'> {
  /** What the operator wants of it. */
  readonly policy?: HostPolicy | undefined;
}

/** One row for each host, whatever the queue holds. */
const SQL = {
  create: 'CREATE TABLE IF NOT EXISTS standing (host_id TEXT PRIMARY KEY, host TEXT NOT NULL) WITHOUT ROWID',
  all: 'SELECT host FROM standing',
  find: 'SELECT host FROM standing WHERE host_id = ?',
  save: 'INSERT OR REPLACE INTO standing (host_id, host) VALUES (?, ?)',
  remove: 'DELETE FROM standing WHERE host_id = ?',
} as const;

// Loose objects keep fields that are not listed here, such as those that a later version adds.
export const Policy: z.ZodType<HostPolicy> = z.looseObject({
  revision: z.int(),
  labels: z.array(z.string()),
  hold: z.enum(HOLDS).nullable(),
  holdUntil: z.number().nullable(),
});

const Host: z.ZodType<StandingHost> = z.looseObject({
  hostId: z.string(),
  slots: z.int(),
  capability: CapabilityShape,
  policy: Policy.optional(),
});

export interface StandingHosts {
  load(): StandingHost[];
  /** Writes nothing where nothing changes. */
  save(host: StandingHost): void;
  remove(hostId: string): void;
}

/** The hosts that stand in the dispatcher's queue: they ask for nothing, so nobody else would tell of them again. */
export function createStandingHosts(sql: QueueStorage['sql']): StandingHosts {
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
