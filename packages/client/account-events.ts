import { TickreelError } from './errors.ts';
import { readEvents } from './events.ts';
import type { JobSummary } from './shapes.ts';
import { API_ROUTES } from './shapes.ts';
import { sleep } from './sleep.ts';
import { backOff, requestTo, type Transport } from './transport.ts';

/** A job of the account after a change. */
export interface JobChange {
  /** Continue from here with `events({ after: id })`. */
  readonly id: string;
  readonly job: JobSummary;
}

export interface EventOptions {
  /** The id of the last known change; without it, only new changes are sent. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields each change of each job of the account, until the caller stops reading or aborts the signal. Reconnects after
 * a broken stream or an outage, and continues after the last change. Rejects when the service refuses.
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
