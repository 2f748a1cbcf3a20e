/** What was sent to the service. */
interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
}

export type Reply = Response | Error | ((sent: Sent) => Response | Promise<Response>);

/** Returns a fake `fetch` that gives one reply after the other and keeps the requests. */
export function farEnd(...replies: readonly Reply[]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (url, init = {}) => {
      const body = typeof init.body === 'string' ? JSON.parse(init.body) : (init.body ?? null);
      const asked = {
        method: init.method ?? 'GET',
        url: new URL(String(url)),
        headers: new Headers(init.headers),
        body,
      };
      const reply = replies[sent.push(asked) - 1];
      if (reply === undefined) throw new Error(`nobody expects ${asked.method} ${asked.url}`);
      if (reply instanceof Error) throw reply;
      if (typeof reply !== 'function') return reply;
      return Promise.race([reply(asked), aborted(init.signal)]);
    },
  };
}

/** As `fetch` does when its signal is aborted. */
function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(value), { status, headers: { 'Content-Type': 'application/json', ...headers } });

/** Returns an RFC 9457 answer. */
export const problem = (kind: string, status: number, headers: Record<string, string> = {}) =>
  json(
    {
      type: `https://tickreel.test/docs/problems#${kind}`,
      title: 'A title',
      status,
      detail: 'What it was.',
      request_id: 'r-1',
    },
    status,
    { 'X-Request-Id': 'r-1', ...headers },
  );

export const never = () => new Promise<Response>(() => {});

/** Returns a stream of server-sent events in the given chunks. `end` says how it ends. */
export function events(pieces: readonly string[], end: 'closes' | 'breaks' | 'stays' = 'closes'): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (end === 'closes') controller.close();
    },
    pull(controller) {
      if (end === 'breaks') controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}
