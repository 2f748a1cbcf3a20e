import type { StoredFile } from '../../domain/clip.ts';
import { reasonOf } from '../../domain/reason.ts';
import type { ByteRange } from '../../http/range.ts';
import type { Service } from '../../service/service.ts';

/** Bytes above which a file stays in storage alone: longer ones do not fill a cache in the time there is. */
const LARGEST = 256 * 1024 * 1024;

/** A day. What lies there never changes, and nobody reaches it but through a clip that is still there. */
const KEPT_S = 24 * 60 * 60;

/** What is being copied into the cache by this isolate. */
const filling = new Set<string>();

/**
 * The bytes of a stored file, or of a part of it, out of the cache of this data centre; null when they are not there.
 * Files go by their SHA-256: another render of the clip is another entry, and none is ever out of date.
 */
export async function cachedBytes(
  baseUrl: string,
  file: StoredFile,
  range: ByteRange | null,
): Promise<ReadableStream | null> {
  const headers: HeadersInit = range ? { Range: `bytes=${range.start}-${range.end - 1}` } : {};
  const hit = await caches.default.match(new Request(cacheKey(baseUrl, file), { headers }));
  if (!hit) return null;
  if (hit.status === (range ? 206 : 200)) return hit.body;
  await hit.body?.cancel();
  return null;
}

/** Copies a file into the cache for the next viewer. A copy that fails costs that viewer some milliseconds, no more. */
export async function fillCache(
  { files, settings, log }: Pick<Service, 'files' | 'settings' | 'log'>,
  file: StoredFile,
): Promise<void> {
  const key = cacheKey(settings.baseUrl, file);
  if (file.bytes > LARGEST || filling.has(key)) return;
  filling.add(key);
  try {
    const object = await files.get(file.key);
    if (!object) return;
    const headers = { 'Content-Length': String(object.size), 'Cache-Control': `public, max-age=${KEPT_S}` };
    await caches.default.put(key, new Response(object.body, { headers }));
  } catch (error) {
    log('a file was not cached', { key: file.key, error: reasonOf(error) });
  } finally {
    filling.delete(key);
  }
}

function cacheKey(baseUrl: string, file: StoredFile): string {
  return `${baseUrl}/${file.key}?sha256=${file.sha256}`;
}
