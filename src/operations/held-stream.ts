import type { Authenticate } from '#http/credentials.ts';
import { ProblemError } from '#http/problem.ts';
import { limitReached, rateLimited } from '#http/rate-limit.ts';
import { reply, toResponse } from '#http/reply.ts';
import type { Context } from '#http/router.ts';
import { tally } from '#service/isolate-tally.ts';
import { perService } from '#service/per-service.ts';
import type { Service } from '#service/service.ts';
import type { Caller } from '#storage/accounts.ts';
import { identifyAccount } from '../account-admission.ts';

/** A stream ends when its client reads no byte for this time. The service writes a comment every 15 seconds. */
const STALLED_MS = 60_000;
/**
 * How often the key is looked up again, and how old a cached look-up may be. A revoked key ends its streams within 30
 * seconds.
 */
const CHECK_EVERY_MS = 10_000;
/** Problems that end a stream: its key is no longer valid, or its address is over the limit of guesses. */
const ENDING: ReadonlySet<string> = new Set(['unauthorized', 'rate_limited']);
const HOUR_MS = 3_600_000;
const TICK_MS = 2000;
const LOCAL_TICK_MS = 250;

/** Writes to a held stream. */
interface Outlet {
  /** Resolves when the client's connection has accepted the bytes. Rejects when the stream has ended. */
  send(bytes: Uint8Array): Promise<void>;
  /** Aborted when the stream ends. */
  readonly signal: AbortSignal;
}

/** Writes the stream's events. The stream ends when this resolves, and breaks when it rejects. */
type Write = (outlet: Outlet) => Promise<void>;

interface Terms {
  /** How many such streams an account may hold in this isolate; unlimited by default. */
  readonly mostOfAccount?: number;
  /** An hour by default: an invocation may make only a limited number of queries. */
  readonly endsAfterMs?: number;
}

/**
 * Answers with a stream of server-sent events. `begin` checks the request and returns the function that writes the
 * events; null is answered with 204. The stream ends when its client disconnects or reads nothing, its key is revoked
 * or its time is up.
 */
type HoldStream = (
  context: Pick<Context<string, Caller>, 'caller' | 'request'>,
  terms: Terms,
  begin: () => Promise<Write | null>,
) => Promise<Response>;

/** Returns the function that holds a service's streams. Each isolate counts its own. */
export const holdStreamOf = perService((service) => createHoldStream(service, identifyAccount(service)));

interface OpenStream {
  readonly accountId: string;
  /** When the client last read something. */
  tookAt: number;
}

function createHoldStream(
  { limits, now, settings }: Pick<Service, 'limits' | 'now' | 'settings'>,
  identify: Authenticate<Caller>,
): HoldStream {
  const streams = new Set<OpenStream>();

  const isStalled = ({ tookAt }: OpenStream) => now() - tookAt >= STALLED_MS;
  const release = (stream: OpenStream) => {
    if (streams.delete(stream)) tally.follow(-1);
  };
  /** Counts a stream. First releases stalled ones: the platform may have ended their requests without notice. */
  function take(stream: OpenStream, most: number): void {
    for (const other of streams) if (isStalled(other)) release(other);
    const ofAccount = [...streams].filter(({ accountId }) => accountId === stream.accountId);
    if (ofAccount.length >= most) throw limitReached(`${most} streams of events of this account are open already.`);
    streams.add(stream);
    tally.follow(1);
  }
  const isKeyValid = (request: Request) =>
    identify(request, CHECK_EVERY_MS).then(
      () => true,
      (error: unknown) => !(error instanceof ProblemError && ENDING.has(error.kind)),
    );

  return async ({ caller, request }, { mostOfAccount, endsAfterMs = HOUR_MS }, begin) => {
    const stream = { accountId: caller.accountId, tookAt: now() };
    // Counted before the first await: otherwise concurrent requests would all pass the limit.
    if (mostOfAccount !== undefined) take(stream, mostOfAccount);
    let write: Write | null = null;
    try {
      const follows = limits.follows.of(caller.limits.follows);
      const wait = await follows.take(caller.accountId);
      if (wait > 0) throw rateLimited(follows.policy, wait);
      write = await begin();
    } finally {
      if (write === null) release(stream);
    }
    // 204 stops an `EventSource`, which would otherwise reconnect forever.
    if (write === null) return toResponse(reply(204, null));
    const endsAt = now() + endsAfterMs;
    let checkedAt = now();
    const ended = new AbortController();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    /** Ends the stream: with an error if there is a reason, normally otherwise. */
    const end = (reason?: unknown) => {
      if (ended.signal.aborted) return;
      release(stream);
      ended.abort();
      stream.tookAt = now();
      const closed = reason === undefined ? writer.close() : writer.abort(reason);
      void closed.catch(() => {}).finally(() => clearInterval(timer));
    };
    const look = async () => {
      if (ended.signal.aborted) {
        // `close` waits until the client has read everything; this client reads nothing.
        if (isStalled(stream)) void writer.abort('nothing was read for a minute').catch(() => {});
        return;
      }
      if (now() >= endsAt) return end();
      if (isStalled(stream)) return end('nothing was read for a minute');
      if (now() - checkedAt < CHECK_EVERY_MS) return;
      checkedAt = now();
      if (!(await isKeyValid(request))) end();
    };
    const timer = setInterval(() => void look(), settings.isLocal ? LOCAL_TICK_MS : TICK_MS);
    const send = async (bytes: Uint8Array) => {
      await writer.write(bytes);
      stream.tookAt = now();
    };
    const gone = () => end('the client has gone');
    // When a client disconnects, the platform does not cancel the stream: it aborts the signal.
    request.signal.addEventListener('abort', gone, { once: true });
    writer.closed.catch(gone);
    write({ send, signal: ended.signal }).then(() => end(), end);
    if (request.signal.aborted) gone();
    return new Response(readable, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
  };
}
