import { API_ROUTES } from '#protocol/routes.ts';
import { TickreelError } from './errors.ts';
import { readEvents } from './events.ts';
import type { JobSummary } from './shapes.ts';
import { sleep } from './sleep.ts';
import { backOff, requestTo, type Transport } from './transport.ts';

/** A job of the account, as it is after a change. */
export interface JobChange {
  /** Where to go on from: `events({ after: id })`. */
  readonly id: string;
  readonly job: JobSummary;
}

export interface EventOptions {
  /** The id of the last change that was seen; without it, what changes from now on. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields every change of every job of the account, until the caller stops reading or aborts the signal. Reconnects
 * after a broken stream or an outage, and continues after the last change. Rejects when the service refuses.
 */
export async function* accountEvents(transport: Transport, options: EventOptions): AsyncGenerator<JobChange> {
  const { signal } = options;
  let last = options.after;
  for (let broken = 0; ; broken += 1) {
    try {
      const headers = last === undefined ? {} : { 'Last-Event-ID': last };
      const request = { ...requestTo(API_ROUTES.watchEvents), headers };
      const { body } = await transport.send(request, async (response) => response, { signal, maxRetries: Infinity });
      const note = (id: string) => {
        last = id;
      };
      for await (const { data } of body === null ? [] : readEvents(body, undefined, note)) {
        broken = 0;
        yield { id: last ?? '', job: JSON.parse(data) };
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof TickreelError) throw error;
    }
    await sleep(backOff(broken), signal);
  }
}
