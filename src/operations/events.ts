import { accepted } from '#http/accepted.ts';
import { invalidRequest } from '#http/problem.ts';
import { limitReached } from '#http/rate-limit.ts';
import { JOB_ID, LISTED_JOB, NOTICES } from '#protocol/examples.ts';
import { changeIdOf, parseChangeId } from '#protocol/job-change.ts';
import { JobQuery } from '#protocol/job-detail.ts';
import { JobNotice } from '#protocol/job-notice.ts';
import { JobSummary } from '#protocol/lists.ts';
import { COMMENT, COMMENT_EVERY_MS, eventText } from '#protocol/server-sent.ts';
import { tally } from '#service/isolate-tally.ts';
import { operation, type Words } from '#service/operation.ts';
import { readLastChange, selectChanges } from '#storage/lists.ts';
import type { JobRow } from '#storage/schema.ts';
import { holdStreamOf } from './held-stream.ts';
import { jobSummary } from './jobs.ts';

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
        too_many_followers: () => limitReached(`${settings.limits.jobFollowers} clients follow this job already.`),
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
/** Streams that one isolate holds for an account. */
const MOST_STREAMS = 20;

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
    const terms = { mostOfAccount: MOST_STREAMS, endsAfterMs: ENDS_AFTER_MS };
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
            .filter(({ mode }) => mode !== 'inspect')
            .map(changeText)
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

function changeText(row: JobRow): string {
  return eventText({ id: changeIdOf(row), data: jobSummary(row) });
}

export const words = (): Words => ({
  watchJob: {
    tag: 'Jobs',
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
    tag: 'Events',
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
