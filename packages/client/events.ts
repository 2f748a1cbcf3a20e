import { TickreelError } from './errors.ts';
import { API_ROUTES, type JobSummary } from './shapes.ts';
import { sleep } from './sleep.ts';
import { backOff, requestTo, type Transport } from './transport.ts';

/** One server-sent event: its data, and the id to continue from after a break. */
export interface StreamEvent {
  readonly data: string;
  readonly id: string | null;
}

/** The service sends a comment every 15 seconds at least. */
const SILENCE_MS = 60_000;

/**
 * Yields the events of a stream, parsed by the HTML standard. Ends with the stream. Rejects if the stream sends
 * nothing, not even a comment, for `silenceMs`. Closes the stream when the caller stops reading. `onId` gets the id of
 * each event, even of an event without data.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs = SILENCE_MS,
  onId: (id: string) => void = () => {},
): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let id: string | null = null;
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await orSilent(reader.read(), silenceMs);
      if (done) return;
      const lines = (text + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? '';
      for (const line of lines) {
        const [, field, content = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
        if (field === 'data') data.push(content);
        else if (field === 'id') id = content;
        if (line !== '') continue;
        if (id !== null) onId(id);
        if (data.length === 0) continue;
        yield { data: data.join('\n'), id };
        data = [];
      }
    }
  } finally {
    // The stream may be broken already.
    await reader.cancel().catch(() => undefined);
  }
}

/** Rejects after `silenceMs`, because a dead connection would be waited for forever. */
async function orSilent<T>(read: Promise<T>, silenceMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream of events fell silent')), silenceMs);
  });
  try {
    return await Promise.race([read, silent]);
  } finally {
    clearTimeout(timer);
  }
}

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
