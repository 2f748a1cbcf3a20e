import type { StoredFile } from '#domain/clip.ts';
import { reasonOf } from '#domain/reason.ts';
import type { ByteRange } from '#http/range.ts';
import type { Service } from '#service/service.ts';

/**
 * Files are cached in slices: a seek into the middle of a long one starts within one, and no file is too long. A
 * request may make a thousand calls, which are four gigabytes.
 */
const SLICE = 4 * 1024 * 1024;

/** Slices that are in memory on their way into the cache, of the 128 MB that an isolate has. */
const MOST_READING = 8;

/** A day. What lies there never changes, and nobody reaches it but through a clip that is still there. */
const KEPT_S = 24 * 60 * 60;

const reading = new Map<string, Promise<Uint8Array<ArrayBuffer> | null>>();

interface FileWorld extends Pick<Service, 'files' | 'settings' | 'log'> {
  waitUntil(work: Promise<unknown>): void;
}

type Bytes = ReadableStream | Uint8Array<ArrayBuffer>;

/**
 * A part of a stored file out of the cache of this data centre, or else out of storage; null where that has no such
 * file. Files go by their SHA-256: another render of the clip is another entry, and none is ever out of date.
 */
export async function openBytes(world: FileWorld, file: StoredFile, { start, end }: ByteRange): Promise<Bytes | null> {
  if (!world.settings.hasCache) return stream(world, file, start, end);
  const last = Math.floor((end - 1) / SLICE);
  const first = Math.floor(start / SLICE);
  const opened = await openSlice(world, file, start, Math.min(end, (first + 1) * SLICE));
  if (opened === null || first === last) return opened;
  const { readable, writable } = new FixedLengthStream(end - start);
  void (async () => {
    try {
      await send(opened, writable);
      for (let slice = first + 1; slice <= last; slice++) {
        const next = await openSlice(world, file, slice * SLICE, Math.min(end, (slice + 1) * SLICE));
        if (next === null) throw new Error('the file is gone');
        await send(next, writable);
      }
      await writable.close();
    } catch (error) {
      // Whoever watches has gone, or so has the file: what was promised is not sent.
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

/** From `start` to `end`, which lie in one slice. */
async function openSlice(world: FileWorld, file: StoredFile, start: number, end: number): Promise<Bytes | null> {
  const from = Math.floor(start / SLICE) * SLICE;
  const to = Math.min(from + SLICE, file.bytes);
  const isWhole = start === from && end === to;
  const key = `${world.settings.baseUrl}/${file.key}?sha256=${file.sha256}&from=${from}`;
  const headers: HeadersInit = isWhole ? {} : { Range: `bytes=${start - from}-${end - from - 1}` };
  const hit = await caches.default.match(new Request(key, { headers }));
  if (hit?.status === (isWhole ? 200 : 206)) return hit.body;
  await hit?.body?.cancel();
  if (!reading.has(key) && reading.size >= MOST_READING) return stream(world, file, start, end);
  const bytes = await readSlice(world, file, key, { start: from, end: to });
  return bytes?.subarray(start - from, end - from) ?? null;
}

/** All who want the same slice at once wait for one read of storage. */
function readSlice(
  { files, log, waitUntil }: FileWorld,
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
      const caching = { 'Content-Length': String(bytes?.byteLength), 'Cache-Control': `public, max-age=${KEPT_S}` };
      if (bytes) await caches.default.put(key, new Response(bytes, { headers: caching }));
    } catch (error) {
      log('a file was not cached', { key: file.key, error: reasonOf(error) });
    } finally {
      reading.delete(key);
    }
  })();
  // Also when the viewer whose request this is hangs up.
  waitUntil(kept);
  return read;
}

async function stream({ files }: FileWorld, { key }: StoredFile, start: number, end: number) {
  const object = await files.get(key, { range: { offset: start, length: end - start } });
  return object?.body ?? null;
}
