import * as z from 'zod';
import type { Circuit } from '#domain/circuit-breaker.ts';
import type { HostPolicy } from '#domain/host-state.ts';
import { PushSettings } from '#protocol/push.ts';
import { Policy } from '../dispatcher/standing-hosts.ts';

/** All that a push host's object keeps. */
export interface StoredPushHost {
  readonly id: string;
  /** Null once it was revoked, until the dispatcher has heard of that. */
  readonly push: PushSettings | null;
  /** Of the host's token: grants are signed under a secret that is computed from it. */
  readonly tokenSha256: string;
  /** What the operator wants of it; the dispatcher hears of it with the host. */
  readonly policy?: HostPolicy | undefined;
  readonly circuit: Circuit;
}

const KEY = 'host';

// Loose: what a later minor change has added is kept when this code writes it again.
const Stored: z.ZodType<StoredPushHost> = z.looseObject({
  id: z.string(),
  push: z.looseObject(PushSettings.shape).nullable(),
  tokenSha256: z.string(),
  policy: Policy.optional(),
  circuit: z.looseObject({ failures: z.int(), restUntil: z.number().nullable() }),
});

export interface PushHostStore {
  load(): StoredPushHost | null;
  save(host: StoredPushHost): void;
}

export function createPushHostStore({ kv }: Pick<DurableObjectStorage, 'kv'>): PushHostStore {
  return {
    load() {
      const stored = kv.get(KEY);
      return stored === undefined ? null : Stored.parse(stored);
    },
    save: (host) => kv.put(KEY, host),
  };
}
