import type { Clip, StoredFile } from '../../domain/clip.ts';
import { CLIP_FILE_TYPES, type ClipFile } from '../../domain/storage-keys.ts';
import { checkConditions, rangeStillValid } from '../../http/conditions.ts';
import { fileCacheControl } from '../../http/file-cache-control.ts';
import { notFound, ProblemError } from '../../http/problem.ts';
import { type ByteRange, parseRange } from '../../http/range.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadFreshClip, loadPublicClip } from '../public-clip.ts';
import { disposition } from './disposition.ts';
import { cachedBytes, fillCache } from './file-cache.ts';

/** Null when there is no such file. */
type ReadBytes = (stored: StoredFile, range: ByteRange | null) => Promise<ReadableStream | null>;

/**
 * Serves a clip's MP4 or thumbnail with ranges and conditions (RFC 9110), streamed out of this data centre's cache or
 * out of storage. The clip is looked up every time, so a deleted one is gone at once. A re-run overwrites the clip, so
 * browsers may keep it for five minutes and then ask again; the entity tag is the content's SHA-256.
 */
export function clipFile(file: ClipFile): PageHandler<'files' | 'log', 'id'> {
  return async (service, { request, params: { id }, waitUntil }) => {
    const { settings, files } = service;
    const { baseUrl } = settings;
    const caching = fileCacheControl(settings);
    const read: ReadBytes = async (stored, range) => {
      const cached = settings.hasCache ? await cachedBytes(baseUrl, stored, range) : null;
      if (cached) return cached;
      const object = await files.get(
        stored.key,
        range ? { range: { offset: range.start, length: range.end - range.start } } : {},
      );
      if (object && settings.hasCache) waitUntil(fillCache(service, stored));
      return object?.body ?? null;
    };
    const clip = await loadPublicClip(service, id);
    const response = clip && (await respond(clip, file, request, caching, read));
    if (response) return response;
    // The index named files that a re-run has just replaced: the owner knows the new ones.
    const fresh = await loadFreshClip(service, id);
    const again = fresh && (await respond(fresh, file, request, caching, read));
    if (again) return again;
    throw notFound();
  };
}

/** Null when storage has no such file. */
async function respond(
  clip: Clip,
  file: ClipFile,
  request: Request,
  caching: string,
  read: ReadBytes,
): Promise<Response | null> {
  if (clip.state === 'deleted') throw new ProblemError('gone', 'This clip was deleted.');
  const stored: StoredFile = file === 'video' ? clip.video : clip.thumbnail;
  const etag = `"${stored.sha256}"`;
  const headers = new Headers({
    'Accept-Ranges': 'bytes',
    'Cache-Control': caching,
    'Content-Type': CLIP_FILE_TYPES[file],
    ETag: etag,
    'Last-Modified': new Date(clip.renderedAt).toUTCString(),
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  const verdict = checkConditions(request.headers, etag, clip.renderedAt);
  if (verdict !== 'go_on') return new Response(null, { status: verdict, headers });

  headers.set('Content-Disposition', disposition(clip.title, file, new URL(request.url).searchParams.has('download')));
  const range = requestedRange(request, stored.bytes, etag, clip.renderedAt);
  if (range === 'unsatisfiable') {
    throw new ProblemError('range_not_satisfiable', `The file has ${stored.bytes} bytes.`, {
      headers: { 'Content-Range': `bytes */${stored.bytes}` },
    });
  }
  const { start, end } = range ?? { start: 0, end: stored.bytes };
  headers.set('Content-Length', String(end - start));
  if (range) headers.set('Content-Range', `bytes ${start}-${end - 1}/${stored.bytes}`);
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  const body = await read(stored, range);
  return body && new Response(body, { status, headers });
}

/** Ranges are defined for GET alone (RFC 9110 section 14.2). */
function requestedRange({ method, headers }: Request, size: number, etag: string, modifiedAt: number) {
  const header = method === 'GET' ? headers.get('Range') : null;
  return header !== null && rangeStillValid(headers, etag, modifiedAt) ? parseRange(header, size) : null;
}
