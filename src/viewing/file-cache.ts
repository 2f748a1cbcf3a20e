import type { StoredFile } from '#domain/clip/clip.ts';
import { reasonOf } from '#domain/lib/text.ts';
import type { ByteRange } from '#http/headers.ts';
import type { Service } from '#service/lib/service.ts';

/**
 * Bytes. Files are cached in slices, so that a seek needs only one slice, and no file is too long for the cache. A
 * request may make a thousand calls: four gigabytes.
 */
const SLICE = 4 * 1024 * 1024;

/** The most fills at a time. Each has its slice in memory, and an isolate has 128 MB. */
const MAX_FILLS = 8;

/** Bytes that are sent at once. A slow viewer holds no more in memory. */
const CHUNK = 64 * 1024;

/** Milliseconds. Viewers leave a fill that has received nothing for so long: its request may have ended. */
const STALLED_MS = 5000;

/** A day. An entry never changes, and it is only read for a clip that still exists. */
const CACHE_AGE_S = 24 * 60 * 60;

/** The copy of a slice from storage into the cache. Viewers read what has arrived, each at their own speed. */
interface Fill {
  readonly slice: ByteRange;
  /** Null after the fill. Viewers read the rest from the cache or storage, so a slow one keeps no slice in memory. */
  bytes: Uint8Array<ArrayBuffer> | null;
  /** The bytes that have arrived, as positions in the file. They begin where the first viewer's range begins. */
  readonly arrived: { readonly start: number; end: number };
  /** When the last bytes arrived, in milliseconds since the epoch. */
  movedAt: number;
  isCached: boolean;
  /** Resolved and replaced when bytes arrive, and at the end. */
  moved: PromiseWithResolvers<void>;
  /** Resolves with false if storage has no such file. */
  isFound: Promise<boolean>;
}

/** The fills of this isolate, by the key of the cache. */
const fills = new Map<string, Fill>();

interface CacheDeps extends Pick<Service, 'files' | 'settings' | 'log'> {
  waitUntil(work: Promise<unknown>): void;
}

type Part = ReadableStream | Fill;

/**
 * Returns a part of a stored file, from the cache of this data centre or from storage; null if storage has no such
 * file. A part that is not cached is sent as it arrives from storage, while its slices are cached. The SHA-256 is in
 * the cache key: another render of the clip has another entry, so no entry is ever outdated.
 */
export async function openBytes(deps: CacheDeps, file: StoredFile, range: ByteRange): Promise<ReadableStream | null> {
  const { start, end } = range;
  if (!deps.settings.hasCache) return stream(deps, file, start, end);
  const opening = openSlice(deps, file, start, end);
  const next = openNext(deps, file, start, end);
  const first = await opening;
  if (first === null || (first instanceof ReadableStream && next === null)) return first;
  const { readable, writable } = new FixedLengthStream(end - start);
  void sendSlices(deps, file, range, [first, next], writable);
  return readable;
}

function sliceOf({ bytes }: StoredFile, position: number): ByteRange {
  const start = Math.floor(position / SLICE) * SLICE;
  return { start, end: Math.min(start + SLICE, bytes) };
}

/** Opens the slice after the one at `position`; null if the range ends before it. */
function openNext(deps: CacheDeps, file: StoredFile, position: number, end: number): Promise<Part | null> | null {
  const start = sliceOf(file, position).end;
  if (start >= end) return null;
  const next = openSlice(deps, file, start, end);
  // Prevents an unhandled rejection if the caller ends before it awaits this.
  next.catch(() => {});
  return next;
}

/** Sends a range slice by slice. Opens each slice while the one before is sent. */
async function sendSlices(
  deps: CacheDeps,
  file: StoredFile,
  { start, end }: ByteRange,
  [first, second]: readonly [Part, Promise<Part | null> | null],
  writable: WritableStream,
): Promise<void> {
  let part: Part | null = first;
  let next = second;
  try {
    for (let at = start; at < end; next = openNext(deps, file, at, end)) {
      const until = Math.min(end, sliceOf(file, at).end);
      while (at < until) {
        if (part === null) throw new Error('the file is gone');
        at = await send(part, at, until, writable);
        // The fill ended or stalled before this viewer had read its part.
        if (at < until) part = await ('isCached' in part && part.isCached ? openSlice : stream)(deps, file, at, until);
      }
      part = await next;
    }
    await writable.close();
  } catch (error) {
    // The viewer disconnected, or the file was deleted: the body ends early.
    await writable.abort(error).catch(() => {});
    const unread = await next?.catch(() => null);
    if (unread instanceof ReadableStream) await unread.cancel();
  }
}

/** Sends a part up to `until`. Returns where it stopped: earlier if the fill ended or stalled first. */
async function send(part: Part, start: number, until: number, writable: WritableStream): Promise<number> {
  if (part instanceof ReadableStream) {
    await part.pipeTo(writable, { preventClose: true });
    return until;
  }
  const writer = writable.getWriter();
  let at = start;
  while (at < until && part.bytes !== null) {
    const end = Math.min(until, part.arrived.end, at + CHUNK);
    if (end > at) await writer.write(part.bytes.slice(at - part.slice.start, end - part.slice.start));
    else if ((await unlessStalled(part.moved.promise)) === null) break;
    at = Math.max(at, end);
  }
  writer.releaseLock();
  return at;
}

/** Resolves with null if the promise does not settle in time: the request that settles it may have ended. */
async function unlessStalled<T>(promise: Promise<T>): Promise<T | null> {
  const stalled = Promise.withResolvers<null>();
  const timer = setTimeout(() => stalled.resolve(null), STALLED_MS);
  return await Promise.race([promise, stalled.promise]).finally(() => clearTimeout(timer));
}

/** Opens the bytes from `start` to `end`, or to the end of the slice if that is earlier. */
async function openSlice(deps: CacheDeps, file: StoredFile, start: number, end: number): Promise<Part | null> {
  const slice = sliceOf(file, start);
  const until = Math.min(end, slice.end);
  const isWhole = start === slice.start && until === slice.end;
  const key = `${deps.settings.baseUrl}/${file.key}?sha256=${file.sha256}&from=${slice.start}`;
  const headers: HeadersInit = isWhole ? {} : { Range: `bytes=${start - slice.start}-${until - slice.start - 1}` };
  const hit = await caches.default.match(new Request(key, { headers }));
  if (hit?.status === (isWhole ? 200 : 206)) return hit.body;
  await hit?.body?.cancel();
  // One whose request has ended never deletes itself.
  for (const [of, { movedAt }] of fills) if (Date.now() - movedAt >= STALLED_MS) fills.delete(of);
  const begun = fills.get(key);
  if (begun ? start < begun.arrived.start : fills.size >= MAX_FILLS) return stream(deps, file, start, until);
  const fill = begun ?? beginFill(deps, file, key, slice, start);
  const isFound = await unlessStalled(fill.isFound);
  if (isFound === null) return stream(deps, file, start, until);
  return isFound ? fill : null;
}

/** Reads a slice from storage, first from `start` to its end, then the bytes before `start`, and caches it. */
function beginFill(deps: CacheDeps, file: StoredFile, key: string, slice: ByteRange, start: number): Fill {
  const { files, log, waitUntil } = deps;
  const opening = files.get(file.key, { range: { offset: start, length: slice.end - start } });
  const bytes = new Uint8Array(slice.end - slice.start);
  const fill: Fill = {
    slice,
    bytes,
    arrived: { start, end: start },
    movedAt: Date.now(),
    isCached: false,
    moved: Promise.withResolvers(),
    isFound: opening.then((object) => object !== null),
  };
  const move = () => {
    fill.movedAt = Date.now();
    fill.moved.resolve();
    fill.moved = Promise.withResolvers();
  };
  const work = async () => {
    try {
      const object = await opening;
      if (object === null) return;
      for await (const chunk of object.body as ReadableStream<Uint8Array>) {
        bytes.set(chunk, fill.arrived.end - slice.start);
        fill.arrived.end += chunk.byteLength;
        move();
      }
      const before = start > slice.start ? await stream(deps, file, slice.start, start) : null;
      let head = 0;
      for await (const chunk of before ?? []) {
        bytes.set(chunk, head);
        head += chunk.byteLength;
        move();
      }
      if (head + fill.arrived.end - start < bytes.byteLength) throw new Error('a part of it is missing');
      const headers = { 'Content-Length': String(bytes.byteLength), 'Cache-Control': `public, max-age=${CACHE_AGE_S}` };
      await caches.default.put(key, new Response(bytes, { headers }));
      fill.isCached = true;
    } catch (error) {
      log('a file was not cached', { key: file.key, error: reasonOf(error) });
    } finally {
      if (fills.get(key) === fill) fills.delete(key);
      fill.bytes = null;
      move();
    }
  };
  fills.set(key, fill);
  // The cache is also filled if the viewer closes the connection.
  waitUntil(work());
  return fill;
}

async function stream({ files }: CacheDeps, { key }: StoredFile, start: number, end: number) {
  const object = await files.get(key, { range: { offset: start, length: end - start } });
  return object?.body ?? null;
}
