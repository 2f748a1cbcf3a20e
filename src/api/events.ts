import { accepted } from '#http/accepted.ts';
import type { Authenticate } from '#http/credentials.ts';
import { invalidRequest, ProblemError } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { reply, toResponse } from '#http/reply.ts';
import type { Context } from '#http/router.ts';
import { JOB_ID, LISTED_JOB, NOTICES } from '#protocol/examples/client.ts';
import { JobNotice, JobQuery } from '#protocol/job/job-detail.ts';
import { changeIdOf, JobSummary, parseChangeId } from '#protocol/job/job-list.ts';
import { COMMENT, COMMENT_EVERY_MS, eventText } from '#protocol/lib/text-formats.ts';
import { takeRate } from '#service/job/job-limits.ts';
import { tally } from '#service/lib/isolate-tally.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { perService, type Service } from '#service/lib/service.ts';
import type { Caller } from '#storage/account/accounts.ts';
import { readLastChange, selectChanges } from '#storage/lib/lists.ts';
import { identifyAccount } from './admission.ts';
import { jobSummary } from './jobs.ts';

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
  /** Whether it is a stream of all jobs. The object of a job counts its own. */
  readonly isOfAccount?: boolean;
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
const holdStreamOf = perService((service) => createHoldStream(service, identifyAccount(service)));

function createHoldStream(
  { limits, permits, now, settings }: Pick<Service, 'limits' | 'permits' | 'now' | 'settings'>,
  identify: Authenticate<Caller>,
): HoldStream {
  const take = (streams: string, isOfAccount: boolean) => {
    if (!isOfAccount) return permits.take({ streams });
    const permit = permits.take({ streams, account_streams: streams }, 1, () => tally.follow(-1));
    tally.follow(1);
    return permit;
  };
  const isKeyValid = (request: Request) =>
    identify(request, CHECK_EVERY_MS).then(
      () => true,
      (error: unknown) => !(error instanceof ProblemError && ENDING.has(error.kind)),
    );

  return async ({ caller, request }, { isOfAccount = false, endsAfterMs = HOUR_MS }, begin) => {
    // Before the first await: otherwise concurrent requests would all pass the limit.
    const permit = take(caller.customerId, isOfAccount);
    let write: Write | null = null;
    try {
      await takeRate({ limits }, caller, 'follows');
      write = await begin();
    } finally {
      if (write === null) permit.release();
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
      permit.release();
      ended.abort();
      permit.renew();
      const closed = reason === undefined ? writer.close() : writer.abort(reason);
      void closed.catch(() => {}).finally(() => clearInterval(timer));
    };
    const look = async () => {
      if (ended.signal.aborted) {
        // `close` waits until the client has read everything; this client reads nothing.
        if (permit.isExpired()) void writer.abort('nothing was read for a minute').catch(() => {});
        return;
      }
      if (now() >= endsAt) return end();
      // A comment is written every 15 seconds.
      if (permit.isExpired()) return end('nothing was read for a minute');
      if (now() - checkedAt < CHECK_EVERY_MS) return;
      checkedAt = now();
      if (!(await isKeyValid(request))) end();
    };
    const timer = setInterval(() => void look(), settings.isLocal ? LOCAL_TICK_MS : TICK_MS);
    const send = async (bytes: Uint8Array) => {
      await writer.write(bytes);
      permit.renew();
    };
    const gone = () => end('the client has gone');
    // When a client disconnects, the platform does not cancel the stream: it aborts the signal.
    request.signal.addEventListener('abort', gone, { once: true });
    writer.closed.catch(gone);
    write({ send, signal: ended.signal }).then(() => end(), end);
    if (request.method === 'HEAD') end();
    if (request.signal.aborted) gone();
    return new Response(readable, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
  };
}

export const watchJob = operation({
  route: 'GET /api/jobs/:id/events',
  scope: 'account:read',
  query: JobQuery,
  handler: (service, context) => {
    const { job, settings } = service;
    return holdStreamOf(service)(context, {}, async () => {
      const { caller, params, request, waitUntil } = context;
      const { include } = context.query();
      const lastEventId = request.headers.get('Last-Event-ID');
      const stream = accepted(await job(params.id).watch(caller.accountId, include, lastEventId), {
        too_many_followers: () => limitReached(`${settings.limits.followers} clients follow this job already.`),
      });
      if (stream === null) return null;
      const reader = stream.getReader();
      return async ({ send, signal }) => {
        // The job's object releases the follower at once. Work that begins after the client disconnects needs
        // `waitUntil`.
        signal.addEventListener('abort', () => waitUntil(reader.cancel().catch(() => {})), { once: true });
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return;
          await send(value);
        }
      };
    });
  },
});

/** The interval of polls: 300 in ten minutes, while an invocation may make 1,000. */
const ASK_EVERY_MS = 2000;
const ASK_OFTEN_MS = 250;
/** How long a stream lasts. Then its client connects again and continues. */
const ENDS_AFTER_MS = 10 * 60_000;
const MOST_AT_ONCE = 100;

/**
 * Streams changes of jobs. Each stream polls the index, in the order in which it stored the changes, and calls no
 * object.
 */
export const watchEvents = operation({
  route: 'GET /api/events',
  scope: 'account:read',
  handler: (service, context) => {
    const { database, dispatcher, settings, now } = service;
    const { accountId } = context.caller;
    const terms = { isOfAccount: true, endsAfterMs: ENDS_AFTER_MS };
    return holdStreamOf(service)(context, terms, async () => {
      const asked = placeOf(context.request.headers.get('Last-Event-ID'));
      // Never a replica: it may lack a change between two that it has.
      const last = await readLastChange(database, accountId);
      // A position ahead of the index was issued before a restore.
      let after = asked !== null && asked.changedAt <= last.changedAt ? asked : last;
      const everyMs = settings.isLocal ? ASK_OFTEN_MS : ASK_EVERY_MS;
      return async ({ send, signal }) => {
        const encoder = new TextEncoder();
        // Begins with an id and no event: a client that reconnects before the first event then misses none.
        let head = `retry: ${everyMs}\nid: ${changeIdOf(after)}\n\n`;
        for (let commentAt = now(); !signal.aborted; ) {
          void tally.report(dispatcher());
          const rows = await selectChanges(database, accountId, after, MOST_AT_ONCE);
          after = rows.at(-1) ?? after;
          const text = rows
            .flatMap((row) => (row.mode === 'inspect' ? [] : eventText({ id: changeIdOf(row), data: jobSummary(row) })))
            .join('');
          if (text !== '' || now() >= commentAt) {
            await send(encoder.encode(head + (text || COMMENT)));
            head = '';
            commentAt = now() + COMMENT_EVERY_MS;
          }
          if (rows.length < MOST_AT_ONCE) await new Promise((resolve) => setTimeout(resolve, everyMs));
        }
      };
    });
  },
});

function placeOf(lastEventId: string | null) {
  if (lastEventId === null) return null;
  const place = parseChangeId(lastEventId);
  if (place === null) throw invalidRequest([{ path: 'Last-Event-ID', message: 'must be the id of an earlier event' }]);
  return place;
}

export const words = (): Words => ({
  watchJob: {
    summary: 'Follow a job',
    description:
      'Server-sent events: first the present state, then every change and all progress, until the job has finished. A comment every 15 seconds keeps the stream alive. It ends after an hour: connect again, and the first event is the present state. A client that sends the id of the outcome as `Last-Event-ID` gets 204. `include` is that of the job; with `queue`, the place is sent again while the job waits.',
    headers: { 'Last-Event-ID': { description: 'The id of the last received event.', example: '7' } },
    answers: {
      200: { description: 'A stream of events.', content: { eventSchema: JobNotice, events: NOTICES } },
      204: { description: 'The job has finished, and `Last-Event-ID` is of its outcome.' },
    },
    problems: ['limit_reached'],
  },
  watchEvents: {
    summary: 'Follow all jobs',
    description:
      'Server-sent events: every change of a job of the account from now on, as `GET /api/jobs` lists it, in the order of the changes. A job that changes twice within some seconds may be sent once, in its last state. A comment every 15 seconds keeps the stream alive. It ends after ten minutes: connect again with the last id as `Last-Event-ID`, and you miss no change. The stream begins with an id, before the first event.',
    headers: {
      'Last-Event-ID': {
        description: 'The id of the last received event; without it, only new changes are sent.',
        example: `1777919502118_${JOB_ID}`,
      },
    },
    answers: {
      200: {
        description: 'A stream of events.',
        content: { eventSchema: JobSummary, events: [LISTED_JOB] },
      },
    },
    problems: ['invalid_request', 'limit_reached'],
  },
});
