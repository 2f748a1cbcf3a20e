import { tally } from '../../durable-objects/isolate-tally.ts';
import { invalidRequest } from '../../http/problem.ts';
import { limitReached, rateLimited } from '../../http/rate-limit.ts';
import { parseChangeId } from '../../protocol/job-change.ts';
import { COMMENT, COMMENT_EVERY_MS, eventText } from '../../protocol/server-sent.ts';
import type { Database } from '../../storage/database.ts';
import { readDatabaseTime, selectChanges } from '../../storage/lists.ts';
import type { JobRow } from '../../storage/schema.ts';
import type { ApiHandler } from './api-handler.ts';
import { jobSummary } from './job-summary.ts';

/** How often the index is asked: 300 times in ten minutes, of the thousand that an invocation may. */
const ASK_EVERY_MS = 2000;
const ASK_OFTEN_MS = 250;
/** After so long the stream ends, and its client connects again where it was. */
const ENDS_AFTER_MS = 10 * 60_000;
const MOST_AT_ONCE = 100;
/** Streams that one isolate holds for an account. */
const MOST_STREAMS = 20;

const streams = new Map<string, number>();

/**
 * `GET /api/events`: the changes of all jobs of the account, as the index hears of them, in the order of their changes.
 * There is no object in it: each stream asks the index again and again, from where it was. A job that changed twice
 * between two questions is told as it is then.
 */
export const watchEvents: ApiHandler<'databases' | 'dispatchers' | 'limits' | 'settings' | 'now'> = async (
  { databases, dispatchers, limits, settings, now },
  { caller, request },
) => {
  const { accountId } = caller;
  const follows = limits.follows.of(caller.limits.follows);
  const wait = await follows.take(accountId);
  if (wait > 0) throw rateLimited(follows.policy, wait);
  if ((streams.get(accountId) ?? 0) >= MOST_STREAMS) {
    throw limitReached(`${MOST_STREAMS} streams of events of this account are open already.`);
  }
  // Not a replica, which may not have yet what lies between two changes that it has.
  const db = databases.of(caller.database);
  const after = await startOf(request.headers.get('Last-Event-ID'), db);
  const everyMs = settings.isLocal ? ASK_OFTEN_MS : ASK_EVERY_MS;
  const onLife = () => void tally.tell(dispatchers);
  const stream = changesOf(db, accountId, after, { everyMs, endsAt: now() + ENDS_AFTER_MS, now, onLife });
  return new Response(stream, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
};

type Place = { readonly changedAt: number; readonly id: string };

async function startOf(lastEventId: string | null, db: Database): Promise<Place> {
  if (lastEventId === null) return { changedAt: await readDatabaseTime(db), id: '' };
  const place = parseChangeId(lastEventId);
  if (place === null) throw invalidRequest([{ path: 'Last-Event-ID', message: 'must be the id of an earlier event' }]);
  return place;
}

interface Pace {
  readonly everyMs: number;
  readonly endsAt: number;
  now(): number;
  /** Called from time to time while the stream is open. */
  onLife(): void;
}

function changesOf(db: Database, accountId: string, start: Place, { everyMs, endsAt, now, onLife }: Pace) {
  const encoder = new TextEncoder();
  let after = start;
  let isFirst = true;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    tally.follow(-1);
    const left = (streams.get(accountId) ?? 1) - 1;
    if (left > 0) streams.set(accountId, left);
    else streams.delete(accountId);
  };
  streams.set(accountId, (streams.get(accountId) ?? 0) + 1);
  tally.follow(1);
  return new ReadableStream<Uint8Array>({
    /** Answers once there is something to tell, or it is time to show that the stream lives. */
    async pull(controller) {
      try {
        const commentAt = now() + COMMENT_EVERY_MS;
        onLife();
        for (;;) {
          const rows = behind(after, await selectChanges(db, accountId, after.changedAt, MOST_AT_ONCE));
          if (isOver) return;
          if (rows.length > 0) {
            after = rows.at(-1) ?? after;
            controller.enqueue(encoder.encode(rows.map((row, i) => changeText(row, isFirst && i === 0)).join('')));
            isFirst = false;
            return;
          }
          if (isFirst || now() >= commentAt) {
            controller.enqueue(encoder.encode(isFirst ? `retry: ${everyMs}\n\n` : COMMENT));
            isFirst = false;
            return;
          }
          if (now() >= endsAt) {
            end();
            controller.close();
            return;
          }
          await new Promise((resolve) => setTimeout(resolve, everyMs));
          if (isOver) return;
        }
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: end,
  });
}

/** What comes after a change. Where its job has changed since, those of the same millisecond come again. */
function behind({ changedAt, id }: Place, rows: readonly JobRow[]): readonly JobRow[] {
  return rows.slice(rows.findIndex((row) => row.changedAt === changedAt && row.id === id) + 1);
}

function changeText(row: JobRow, isFirst: boolean): string {
  return eventText({ id: `${row.changedAt}_${row.id}`, data: jobSummary(row) }, isFirst);
}
