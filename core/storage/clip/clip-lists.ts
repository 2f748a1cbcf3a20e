import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { type ClipList, entryOf, type PublicRecord, withEntry } from '#domain/job/public-record.ts';
import { clipListKey } from '#domain/job/storage-keys.ts';
import { createRecent } from '#domain/lib/rate-buckets.ts';
import type { Database } from '#storage/lib/database.ts';
import { clipViews } from '#storage/schema/usage.ts';
import type { RecordSource } from './record-cache.ts';

/** Lists of clips, each of one match or player of one account. Viewers read them; the jobs of the clips write them. */
const Shape: z.ZodType<ClipList> = z.array(
  z.object({
    id: z.string(),
    version: z.int(),
    shown: z
      .object({ title: z.string(), durationSeconds: z.number(), thumbnail: z.string(), createdAt: z.number() })
      .nullable(),
  }),
);

/**
 * In each round of conflicting writes one succeeds. The cron lets six jobs of an account write at once, so ten tries
 * suffice.
 */
const MOST_TRIES = 10;

/** Updates a clip's entries in its lists from its record. Repeatable. Rejects if a list could not be written. */
export async function writeLists(
  files: Pick<R2Bucket, 'get' | 'put'>,
  lists: readonly string[],
  id: string,
  record: PublicRecord,
): Promise<void> {
  for (const list of lists) await writeEntry(files, list, id, record);
}

async function writeEntry(files: Pick<R2Bucket, 'get' | 'put'>, list: string, id: string, record: PublicRecord) {
  const key = clipListKey(list);
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const found = await files.get(key);
    const next = withEntry(found ? Shape.parse(await found.json()) : [], entryOf(id, record, list));
    if (next === null) return;
    const onlyIf = found ? { etagMatches: found.etag } : new Headers({ 'If-None-Match': '*' });
    if ((await files.put(key, JSON.stringify(next), { onlyIf })) !== null) return;
  }
  throw new Error(`a list of clips was written by others ${MOST_TRIES} times meanwhile`);
}

/** Milliseconds that data centres and isolates cache a list. */
const FRESH_MS = 10_000;
const IN_MEMORY_MS = 2000;

const known = createRecent<{ readonly readAt: number; readonly list: Promise<ClipList> }>(1000);

/** Returns a list from this isolate's memory, the data centre's cache, or storage: at most twelve seconds old. */
export function loadList(
  source: RecordSource,
  list: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<ClipList> {
  const now = Date.now();
  const kept = known.get(list);
  const age = now - (kept?.readAt ?? 0);
  if (kept && age >= 0 && age < (source.settings.hasCache ? IN_MEMORY_MS : FRESH_MS)) return kept.list;
  const read = source.settings.hasCache ? near(source, list, waitUntil) : far(source, list);
  known.set(list, { readAt: now, list: read });
  read.catch(() => known.delete(list));
  // Other requests wait for it, even if this client disconnects.
  waitUntil(read.catch(() => {}));
  return read;
}

async function near(
  source: RecordSource,
  list: string,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<ClipList> {
  const key = `${source.settings.baseUrl}/${clipListKey(list)}`;
  const hit = await caches.default.match(key);
  const readAt = Date.now();
  const age = readAt - Number(hit?.headers.get('X-Read-At') ?? 0);
  if (hit && age >= 0 && age < FRESH_MS) return Shape.parse(await hit.json());
  await hit?.body?.cancel();
  const read = await far(source, list);
  const headers = { 'Cache-Control': `public, max-age=${FRESH_MS / 1000}`, 'X-Read-At': String(readAt) };
  waitUntil(caches.default.put(key, new Response(JSON.stringify(read), { headers })));
  return read;
}

async function far({ files }: RecordSource, list: string): Promise<ClipList> {
  const found = await files.get(clipListKey(list));
  return found ? Shape.parse(await found.json()) : [];
}

/** Views of one clip on one day, counted from the epoch. */
export interface DayViews {
  readonly day: number;
  readonly views: number;
}

/** Adds the counts of a day, in one statement. */
export async function addViews(db: Database, day: number, counted: ReadonlyMap<string, number>): Promise<void> {
  await db.run(sql`
    INSERT INTO ${clipViews} (day, clip_id, views)
    SELECT ${day}, value->>0, value->>1 FROM json_each(${JSON.stringify([...counted])}) WHERE true
    ON CONFLICT DO UPDATE SET views = views + excluded.views`);
}

/** Reads the days with views, from the first to the last, in order. */
export async function selectViews(db: Database, clipId: string, first: number, last: number): Promise<DayViews[]> {
  const days = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const found = await db.all<DayViews>(sql`
    SELECT day, views FROM ${clipViews}
    WHERE day IN (SELECT value FROM json_each(${JSON.stringify(days)})) AND clip_id = ${clipId}`);
  return found.sort((a, b) => a.day - b.day);
}
