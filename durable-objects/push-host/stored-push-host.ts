import * as z from 'zod';
import type { Rest } from '#domain/host/host-state.ts';
import type { Circuit } from '#domain/lib/circuit-breaker.ts';
import { PushSettings } from '#protocol/host/push.ts';
import type { PushHostRegistration } from '#rpc/bindings.ts';
import { Policy } from '../dispatcher/push-hosts.ts';

/** What a push host's object stores. */
export interface StoredPushHost extends Omit<PushHostRegistration, 'push'> {
  /** Null after a revocation, until the dispatcher has unregistered it. */
  readonly push: PushSettings | null;
  readonly circuit: Circuit;
  /** Why it did not take the last job that it was sent; null if it took it. */
  readonly refusal: Omit<Rest, 'until'> | null;
  /** The secret headers that a proxy in front of the host asks for. Only a call of the host reads them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const KEY = 'host';

// Loose: fields of a later minor version are kept when this code writes it.
const Stored: z.ZodType<StoredPushHost> = z.looseObject({
  id: z.string(),
  push: z.looseObject(PushSettings.shape).nullable(),
  tokenSha256: z.string(),
  policy: Policy.optional(),
  circuit: z.looseObject({ failures: z.int(), restUntil: z.number().nullable() }),
  refusal: z.looseObject({ why: z.string(), isAsked: z.boolean() }).nullable(),
  headers: z.record(z.string(), z.string()).optional(),
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
