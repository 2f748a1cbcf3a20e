import { DurableObject } from 'cloudflare:workers';
import { createLog } from '#platform/log.ts';
import { settingsOf } from '#platform/settings.ts';
import type { Purge, PurgeQueueRpc } from '#rpc/bindings.ts';
import { Purges } from './purges.ts';
import { mostPrefixes, sendPurge } from './send-purge.ts';

/** The object that collects the purges of all clips. */
export class PurgeQueue extends DurableObject<object> implements PurgeQueueRpc {
  readonly #purges: Purges;

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    const settings = settingsOf(env);
    this.#purges = new Purges({
      storage: ctx.storage,
      log: createLog(settings.logLevel),
      now: () => Date.now(),
      most: mostPrefixes(settings),
      send: (prefixes) => sendPurge(settings, prefixes),
    });
  }

  override alarm(): Promise<void> {
    return this.#purges.wake();
  }

  add(purge: Purge): Promise<void> {
    return this.#purges.add(purge);
  }

  waiting(): Promise<number> {
    return this.#purges.waiting();
  }
}
