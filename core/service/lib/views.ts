import { VIEWS_KEPT_DAYS } from '#domain/account/account.ts';
import { DAY_MS } from '#domain/job/metering.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { Log } from '#platform/log.ts';
import type { Settings } from '#platform/settings.ts';
import { addViews, type DayViews, selectViews } from '#storage/clip/clip-lists.ts';
import type { Database } from '#storage/lib/database.ts';

/** How often an isolate writes its counts. The platform ends a request's background work after 30 s. */
const FLUSH_MS = 10_000;
/** The same on one machine, where writing is cheap and people watch the count. */
const LOCAL_FLUSH_MS = 500;
/** Clips that an isolate counts at a time: more than are viewed within ten seconds. */
const MOST_CLIPS = 2000;

type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Counts views by clip and day. It stores nothing about viewers. Players report them, because page loads would count
 * crawlers, and a file is loaded many times for a view.
 */
export interface Views {
  /** Counts a view in the background. Views are written in batches. */
  count(clipId: string, waitUntil: WaitUntil): void;
  /** Returns the days with views that are kept, oldest first. */
  read(clipId: string): Promise<DayViews[]>;
}

export interface ViewsContext {
  readonly settings: Pick<Settings, 'isLocal'>;
  readonly database: Database;
  readonly log: Log;
  now(): number;
}

/** Returns the first and last day that are kept, in days since the epoch. */
export function keptDays(now: number): { readonly first: number; readonly last: number } {
  const last = Math.floor(now / DAY_MS);
  return { first: last - VIEWS_KEPT_DAYS + 1, last };
}

/**
 * Creates the view counter. An isolate writes its counts to the database every few seconds, all clips in one statement;
 * the last counts are lost when it ends.
 */
export function createViews(context: ViewsContext): Views {
  const { database, now } = context;
  return {
    count: createCounter(context),
    read(clipId) {
      const { first, last } = keptDays(now());
      return selectViews(database, clipId, first, last);
    },
  };
}

function createCounter({ settings, database, log, now }: ViewsContext): Views['count'] {
  let counted = new Map<string, number>();
  let isDue = false;
  async function flush(): Promise<void> {
    const views = counted;
    counted = new Map();
    isDue = false;
    try {
      await addViews(database, keptDays(now()).last, views);
    } catch (error) {
      log('views were not written', { clips: views.size, error: reasonOf(error) });
    }
  }
  return (clipId, waitUntil) => {
    const before = counted.get(clipId);
    if (before === undefined && counted.size >= MOST_CLIPS) return;
    counted.set(clipId, (before ?? 0) + 1);
    if (isDue) return;
    isDue = true;
    const due = new Promise((resolve) => setTimeout(resolve, settings.isLocal ? LOCAL_FLUSH_MS : FLUSH_MS));
    waitUntil(due.then(flush));
  };
}
