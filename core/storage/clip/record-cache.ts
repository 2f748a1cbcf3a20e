import type { PublicRecord } from '#domain/job/public-record.ts';
import { createRecent } from '#domain/lib/rate-buckets.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { parseRecord, readRecord, writeRecord } from './public-record.ts';

/** Milliseconds that a record is cached after it was read from storage; docs/viewing.md adds up all times. */
const FRESH_MS = 10_000;
/** The age after which a record is not served. Between both times it is served while it is reloaded. */
const STALE_MS = 20_000;
/** How long an isolate uses its memory if its data centre's cache may be newer. */
const IN_MEMORY_MS = 2000;
/** How long a reload may take before the next request starts another. */
const REFRESH_MS = 5000;
/** How often one record is read from storage for addresses with a later version than the cached one. */
const BEHIND_MS = 1000;

export interface RecordSource {
  readonly files: R2Bucket;
  readonly settings: { readonly baseUrl: string; readonly hasCache: boolean };
}

/** What storage had at `readAt`: null if it had none. */
interface ReadRecord {
  readonly record: PublicRecord | null;
  readonly readAt: number;
}

/** How long this isolate uses it. */
interface Kept extends ReadRecord {
  readonly until: number;
}

/** This isolate's memory: viewed clips, and unknown ids. */
const known = createRecent<Kept>(5000);
const absent = createRecent<Kept>(20_000);
const reading = new Map<string, Promise<ReadRecord>>();

type WaitUntil = (work: Promise<unknown>) => void;

/**
 * Returns the record of a clip from this isolate's memory, the data centre's cache, or storage; null if there is none.
 * `atLeast`: the version of the requesting page; an older record is reloaded.
 */
export async function loadRecord(
  source: RecordSource,
  id: string,
  waitUntil: WaitUntil,
  atLeast = 0,
): Promise<PublicRecord | null> {
  const now = Date.now();
  const kept = known.get(id) ?? absent.get(id);
  if (kept && now < kept.until && now >= kept.readAt && !isBehind(kept, atLeast, now)) return kept.record;
  let loaded = await once(id, waitUntil, () => near(source, id, waitUntil));
  if (isBehind(loaded, atLeast, Date.now())) loaded = await reload(source, id, waitUntil);
  return loaded.record;
}

/** Reads the record from storage, for when a file that it names is gone. */
export async function reloadRecord(
  source: RecordSource,
  id: string,
  waitUntil: WaitUntil,
): Promise<PublicRecord | null> {
  return (await reload(source, id, waitUntil)).record;
}

/**
 * Writes a record and updates the caches of this isolate and its data centre. Rejects if it could not be written.
 * Returns the lists to update.
 */
export async function publishRecord(
  source: RecordSource,
  id: string,
  record: PublicRecord,
): Promise<readonly string[]> {
  const lists = await writeRecord(source.files, id, record);
  const loaded = keep(source, id, { record, readAt: Date.now() });
  await putNear(source, id, loaded);
  return lists;
}

/** Reloads the record in this isolate and its data centre. */
export async function forgetRecord({ settings }: RecordSource, id: string): Promise<void> {
  known.delete(id);
  absent.delete(id);
  if (settings.hasCache) await caches.default.delete(nearKey(settings.baseUrl, id));
}

/** Returns how many ids this isolate has cached. */
export function rememberedIds(): number {
  return known.size + absent.size;
}

function reload(source: RecordSource, id: string, waitUntil: WaitUntil): Promise<ReadRecord> {
  return once(`${id} in storage`, waitUntil, () => far(source, id, waitUntil));
}

function isBehind({ record, readAt }: ReadRecord, atLeast: number, now: number): boolean {
  return (record?.version ?? 0) < atLeast && now - readAt >= BEHIND_MS;
}

/** Shares one read between concurrent callers of the same key. */
function once(key: string, waitUntil: WaitUntil, read: () => Promise<ReadRecord>): Promise<ReadRecord> {
  const begun = reading.get(key);
  if (begun) return begun;
  const work = read().finally(() => reading.delete(key));
  reading.set(key, work);
  // Other requests wait for it, even if this client disconnects.
  waitUntil(work.catch(() => {}));
  return work;
}

async function near(source: RecordSource, id: string, waitUntil: WaitUntil): Promise<ReadRecord> {
  const { baseUrl, hasCache } = source.settings;
  const hit = hasCache ? await caches.default.match(nearKey(baseUrl, id)) : undefined;
  if (!hit) return far(source, id, waitUntil);
  const now = Date.now();
  const readAt = Number(hit.headers.get('X-Read-At'));
  const isRefreshing = now - Number(hit.headers.get('X-Refresh-At')) < REFRESH_MS;
  const loaded = { record: parseRecord(await hit.text()), readAt };
  const age = now - readAt;
  if (age < 0 || age >= STALE_MS) return far(source, id, waitUntil);
  if (age >= FRESH_MS && !isRefreshing) {
    waitUntil(putNear(source, id, loaded, now).then(() => far(source, id, waitUntil)));
  }
  return keep(source, id, loaded);
}

async function far(source: RecordSource, id: string, waitUntil: WaitUntil): Promise<ReadRecord> {
  const readAt = Date.now();
  const loaded = keep(source, id, { record: await readRecord(source.files, id), readAt });
  waitUntil(putNear(source, id, loaded));
  return loaded;
}

/** Caches a record, unless this isolate has a later version. */
function keep({ settings }: RecordSource, id: string, loaded: ReadRecord): Kept {
  const before = known.get(id);
  const newest = before && (before.record?.version ?? 0) > (loaded.record?.version ?? 0) ? before : loaded;
  const inMemory = newest.record && settings.hasCache ? IN_MEMORY_MS : FRESH_MS;
  const kept = { record: newest.record, readAt: newest.readAt, until: Date.now() + inMemory };
  absent.delete(id);
  if (kept.record) known.set(id, kept);
  else absent.set(id, kept);
  return kept;
}

/** Unknown ids are cached in memory only. Never rejects: without the copy the next reader reads storage. */
async function putNear(source: RecordSource, id: string, { record, readAt }: ReadRecord, refreshAt = 0): Promise<void> {
  const { baseUrl, hasCache } = source.settings;
  if (!hasCache || record === null) return;
  const headers = {
    'Cache-Control': `public, max-age=${STALE_MS / 1000}`,
    'X-Read-At': String(readAt),
    'X-Refresh-At': String(refreshAt),
  };
  await caches.default.put(nearKey(baseUrl, id), new Response(JSON.stringify(record), { headers })).catch(() => {});
}

/** Below the clip's address, so that a purge of that includes it. */
function nearKey(baseUrl: string, id: string): string {
  return `${clipUrls(baseUrl, id).page}/record`;
}
