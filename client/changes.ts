import { API_ROUTES } from '../protocol/routes.ts';
import { readEvents } from './events.ts';
import { isRefusal } from './follow.ts';
import type { JobSummary } from './shapes.ts';
import { sleep } from './sleep.ts';
import { backOff, requestTo, type Transport } from './transport.ts';

/** A change of one of the account's jobs. */
export interface JobChange {
  readonly job: JobSummary;
  /** From here `events` goes on, as its `after`. */
  readonly id: string;
}

export interface ChangesOptions {
  /** The id of the last change that was seen; without it, what changes from now on is told. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The service sends a comment every 15 seconds at least. */
const SILENCE = 60_000;

/**
 * Every change of the account's jobs, taken up again where a stream ends or breaks. Rejects when the service refuses,
 * or the signal is aborted; else it never ends.
 */
export async function* followChanges(
  transport: Transport,
  { after, signal }: ChangesOptions = {},
): AsyncGenerator<JobChange> {
  let last = after;
  for (let broken = 0; ; broken++) {
    try {
      const headers: Record<string, string> = last === undefined ? {} : { 'Last-Event-ID': last };
      const request = { ...requestTo(API_ROUTES.watchEvents), headers };
      const { body } = await transport.send(request, async (response) => response, { signal, maxRetries: 0 });
      if (body === null) return;
      for await (const { data, id } of readEvents(body, SILENCE)) {
        broken = 0;
        last = id ?? last;
        yield { job: JSON.parse(data), id: last ?? '' };
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isRefusal(error)) throw error;
    }
    await sleep(backOff(broken), signal);
  }
}
