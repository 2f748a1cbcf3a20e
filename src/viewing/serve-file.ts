import { isNamedSite } from '#domain/account/account.ts';
import type { StoredFile } from '#domain/clip/clip.ts';
import type { PublicClip, PublicRecord } from '#domain/job/public-record.ts';
import { CLIP_FILE_TYPES, type ClipFile } from '#domain/job/storage-keys.ts';
import { type ByteRange, checkConditions, fileCacheControl, parseRange, rangeStillValid } from '#http/headers.ts';
import { gone, notFound, ProblemError } from '#http/problem.ts';
import type { Handler } from '#http/router.ts';
import type { Settings } from '#platform/settings.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import type { Service } from '#service/lib/service.ts';
import { reloadRecord } from '#storage/clip/record-cache.ts';
import { openBytes } from './file-cache.ts';

const EXTENSIONS: Record<ClipFile, string> = { video: 'mp4', thumbnail: 'jpg', storyboard: 'jpg', tracks: 'bin' };

/**
 * Returns the `Content-Disposition` of a clip's file (RFC 6266), with a file name made from the title. A title comes
 * from a host, so characters that could end the name, the header or a folder are replaced.
 */
export function disposition(title: string, file: ClipFile, isDownload: boolean): string {
  const safe = title
    .replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 120)
    .toWellFormed();
  const name = `${safe || 'clip'}.${EXTENSIONS[file]}`;
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const kind = isDownload ? 'attachment' : 'inline';
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/**
 * Returns the host of the page that a request comes from: by `Origin`, or else by `Referer`; null if neither names one.
 * If a script may read the response, browsers send `Origin` under any referrer policy of the page.
 */
export function siteOf({ headers }: Request): string | null {
  return (URL.parse(headers.get('Origin') ?? '') ?? URL.parse(headers.get('Referer') ?? ''))?.host || null;
}

/**
 * Returns whether pages of a host may show a clip: every page, unless the account lists sites. Pages of this service
 * always may, under its public name and under the name that a proxy uses.
 */
export function mayShow(
  { embedSites }: Pick<PublicClip, 'embedSites'>,
  host: string,
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  request: Request,
): boolean {
  const own = [baseUrl, request.url].map((url) => new URL(url).host);
  return !embedSites || own.includes(host) || isNamedSite(embedSites, host);
}

type ReadBytes = (stored: StoredFile, range: ByteRange) => Promise<ReadableStream | null>;

/**
 * Serves a file of a clip with ranges and conditions (RFC 9110), from this data centre's cache or from storage. A
 * re-run overwrites the clip, so browsers keep a file for five minutes and then revalidate it; the entity tag is the
 * content's SHA-256. `?v=` is the version of the record in a page: the file is of that version or a newer one.
 */
export function clipFile(file: ClipFile): Handler<Service, 'id'> {
  return async (service, context) => {
    const { request, params, waitUntil } = context;
    const read: ReadBytes = (stored, range) => openBytes({ ...service, waitUntil }, stored, range);
    const version = context.url.searchParams.get('v') ?? '';
    const atLeast = /^\d{1,9}$/.test(version) ? Number(version) : 0;
    const record = await loadPublicRecord(service, params.id, context, atLeast);
    const response = await respond(record, file, request, service.settings, read);
    if (response) return response;
    // The files were just deleted or replaced: the record in storage is newer than the cached one.
    const fresh = await reloadRecord(service, params.id, waitUntil);
    const again = fresh && (await respond(fresh, file, request, service.settings, read));
    if (again) return again;
    throw notFound();
  };
}

/** Returns null if storage has no such file. */
async function respond(
  record: PublicRecord,
  file: ClipFile,
  request: Request,
  settings: Settings,
  read: ReadBytes,
): Promise<Response | null> {
  if (!('clip' in record)) throw record.state === 'unknown' ? notFound() : gone();
  const { clip } = record;
  const stored: StoredFile | undefined = file === 'tracks' ? clip.tracks : 'video' in clip ? clip[file] : undefined;
  if (!stored) throw notFound();
  const { title, renderedAt } = 'video' in clip ? clip : { title: 'replay', renderedAt: clip.tracks.createdAt };
  const etag = `"${stored.sha256}"`;
  const headers = new Headers({
    'Accept-Ranges': 'bytes',
    'Content-Type': CLIP_FILE_TYPES[file],
    ETag: etag,
    'Last-Modified': new Date(renderedAt).toUTCString(),
    'X-Content-Type-Options': 'nosniff',
    ...(file === 'tracks' ? { 'X-Robots-Tag': 'noindex' } : {}),
    ...sharing(clip, request, settings),
  });
  const verdict = checkConditions(request.headers, etag, renderedAt);
  if (verdict !== 'go_on') return new Response(null, { status: verdict, headers });

  headers.set('Content-Disposition', disposition(title, file, new URL(request.url).searchParams.has('download')));
  const range = requestedRange(request, stored.bytes, etag, renderedAt);
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
  const body = await read(stored, { start, end });
  return body && new Response(body, { status, headers });
}

/**
 * Returns the headers that control which pages and caches may use a file. Throws a problem if the request comes from a
 * site that the account has not listed. A request without a site gets the file, because links, chats and programs send
 * none; a header then makes browsers hide it from other sites. Shared caches must not store files of such a clip: few
 * of them respect `Vary`.
 */
function sharing(clip: Pick<PublicClip, 'embedSites'>, request: Request, settings: Settings): Record<string, string> {
  if (!clip.embedSites) {
    return {
      'Cache-Control': fileCacheControl(settings),
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    };
  }
  const site = siteOf(request);
  if (site !== null && !mayShow(clip, site, settings, request)) {
    throw new ProblemError('site_not_allowed', `The owner of this clip does not let ${site} load it.`);
  }
  const origin = request.headers.get('Origin') ?? '';
  return {
    'Cache-Control': fileCacheControl({ purge: null }),
    Vary: 'Origin, Referer',
    'Cross-Origin-Resource-Policy': site === null ? 'same-origin' : 'cross-origin',
    ...(site !== null && URL.parse(origin)?.host === site ? { 'Access-Control-Allow-Origin': origin } : {}),
  };
}

/** Only GET has ranges (RFC 9110 section 14.2). */
function requestedRange({ method, headers }: Request, size: number, etag: string, modifiedAt: number) {
  const header = method === 'GET' ? headers.get('Range') : null;
  return header !== null && rangeStillValid(headers, etag, modifiedAt) ? parseRange(header, size) : null;
}
