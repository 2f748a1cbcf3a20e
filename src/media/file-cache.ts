import type { StoredFile } from '#domain/clip.ts';
import { reasonOf } from '#domain/reason.ts';
import type { ByteRange } from '#http/range.ts';
import type { Service } from '#service/service.ts';

/**
 * Bytes. Files are cached in slices, so that a seek needs only one slice, and no file is too long for the cache. A
 * request may make a thousand calls: four gigabytes.
 */
const SLICE = 4 * 1024 * 1024;

/** How many slices may be in memory on their way into the cache. An isolate has 128 MB. */
const MAX_READS = 8;

/** A day. An entry never changes, and it is only read for a clip that still exists. */
const CACHE_AGE_S = 24 * 60 * 60;

const reading = new Map<string, Promise<Uint8Array<ArrayBuffer> | null>>();

interface CacheDeps extends Pick<Service, 'files' | 'settings' | 'log'> {
  waitUntil(work: Promise<unknown>): void;
}

type Bytes = ReadableStream | Uint8Array<ArrayBuffer>;

/**
 * Returns a part of a stored file, from the cache of this data centre or from storage; null if storage has no such
 * file. The SHA-256 is in the cache key: another render of the clip has another entry, so no entry is ever outdated.
 */
export async function openBytes(deps: CacheDeps, file: StoredFile, { start, end }: ByteRange): Promise<Bytes | null> {
  if (!deps.settings.hasCache) return stream(deps, file, start, end);
  const last = Math.floor((end - 1) / SLICE);
  const first = Math.floor(start / SLICE);
  const opened = await openSlice(deps, file, start, Math.min(end, (first + 1) * SLICE));
  if (opened === null || first === last) return opened;
  const { readable, writable } = new FixedLengthStream(end - start);
  void (async () => {
    try {
      await send(opened, writable);
      for (let slice = first + 1; slice <= last; slice++) {
        const next = await openSlice(deps, file, slice * SLICE, Math.min(end, (slice + 1) * SLICE));
        if (next === null) throw new Error('the file is gone');
        await send(next, writable);
      }
      await writable.close();
    } catch (error) {
      // The viewer disconnected, or the file was deleted: the body ends early.
      await writable.abort(error).catch(() => {});
    }
  })();
  return readable;
}

async function send(bytes: Bytes, writable: WritableStream): Promise<void> {
  if (bytes instanceof ReadableStream) return bytes.pipeTo(writable, { preventClose: true });
  const writer = writable.getWriter();
  await writer.write(bytes);
  writer.releaseLock();
}

/** Returns the bytes from `start` to `end`, which must be in one slice. */
async function openSlice(deps: CacheDeps, file: StoredFile, start: number, end: number): Promise<Bytes | null> {
  const from = Math.floor(start / SLICE) * SLICE;
  const to = Math.min(from + SLICE, file.bytes);
  const isWhole = start === from && end === to;
  const key = `${deps.settings.baseUrl}/${file.key}?sha256=${file.sha256}&from=${from}`;
  const headers: HeadersInit = isWhole ? {} : { Range: `bytes=${start - from}-${end - from - 1}` };
  const hit = await caches.default.match(new Request(key, { headers }));
  if (hit?.status === (isWhole ? 200 : 206)) return hit.body;
  await hit?.body?.cancel();
  if (!reading.has(key) && reading.size >= MAX_READS) return stream(deps, file, start, end);
  const bytes = await readSlice(deps, file, key, { start: from, end: to });
  return bytes?.subarray(start - from, end - from) ?? null;
}

/** Reads a slice from storage and caches it. Requests for the same slice share one read. */
function readSlice(
  { files, log, waitUntil }: CacheDeps,
  file: StoredFile,
  key: string,
  range: ByteRange,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const begun = reading.get(key);
  if (begun) return begun;
  const read = (async () => {
    const object = await files.get(file.key, { range: { offset: range.start, length: range.end - range.start } });
    return object && new Uint8Array(await object.arrayBuffer());
  })();
  reading.set(key, read);
  const kept = (async () => {
    try {
      const bytes = await read;
      const caching = {
        'Content-Length': String(bytes?.byteLength),
        'Cache-Control': `public, max-age=${CACHE_AGE_S}`,
      };
      if (bytes) await caches.default.put(key, new Response(bytes, { headers: caching }));
    } catch (error) {
      log('a file was not cached', { key: file.key, error: reasonOf(error) });
    } finally {
      reading.delete(key);
    }
  })();
  // The cache is also filled if the viewer closes the connection.
  waitUntil(kept);
  return read;
}

async function stream({ files }: CacheDeps, { key }: StoredFile, start: number, end: number) {
  const object = await files.get(key, { range: { offset: start, length: end - start } });
  return object?.body ?? null;
}
