import { FILE_AGE_S } from '#domain/clip/clip.ts';

/** `Last-Modified` has whole seconds. */
const SECOND = 1000;

/**
 * Evaluates the preconditions of a GET or HEAD (RFC 9110 section 13.2.2): continue, 304 or 412. `etag` is strong and
 * quoted; `modifiedAt` is in milliseconds since the epoch.
 */
export function checkConditions(headers: Headers, etag: string, modifiedAt: number): 'go_on' | 304 | 412 {
  const ifMatch = headers.get('If-Match');
  if (ifMatch !== null) {
    if (!lists(ifMatch, etag, false)) return 412;
  } else {
    const unmodifiedSince = time(headers.get('If-Unmodified-Since'));
    if (unmodifiedSince !== null && wholeSeconds(modifiedAt) > unmodifiedSince) return 412;
  }
  const ifNoneMatch = headers.get('If-None-Match');
  if (ifNoneMatch !== null) return lists(ifNoneMatch, etag, true) ? 304 : 'go_on';
  const modifiedSince = time(headers.get('If-Modified-Since'));
  return modifiedSince !== null && wholeSeconds(modifiedAt) <= modifiedSince ? 304 : 'go_on';
}

/** Whether `If-Range` allows a partial answer (RFC 9110 section 13.1.5). */
export function rangeStillValid(headers: Headers, etag: string, modifiedAt: number): boolean {
  const ifRange = headers.get('If-Range');
  if (ifRange === null) return true;
  if (ifRange.includes('"')) return ifRange.trim() === etag;
  return time(ifRange) === wholeSeconds(modifiedAt);
}

function lists(header: string, etag: string, weakly: boolean): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((entry) => {
    const tag = entry.trim();
    return (weakly ? tag.replace(/^W\//, '') : tag) === etag;
  });
}

function time(header: string | null): number | null {
  const parsed = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(parsed) ? null : parsed;
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / SECOND) * SECOND;
}

/** Parses the weights of a list such as `gzip;q=0.5, *;q=0` (RFC 9110 section 12.4.2), by value in lower case. */
export function weightsOf(header: string | null): Map<string, number> {
  const entries = (header ?? '').toLowerCase().split(',');
  return new Map(
    entries.map((entry) => {
      const [value = '', ...parameters] = entry.split(';').map((part) => part.trim());
      return [value, Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)];
    }),
  );
}

/**
 * Whether a client accepts gzip and prefers no other encoding (RFC 9110 section 12.5.3). A client that names no
 * encoding gets an uncompressed body. Cloudflare and its local runtime replace the header; the client's own is in `cf`.
 */
export function takesGzip({ headers, cf }: { headers: Headers; cf?: unknown }): boolean {
  const { clientAcceptEncoding } = Object(cf) as { clientAcceptEncoding?: string };
  const weights = weightsOf(clientAcceptEncoding ?? headers.get('Accept-Encoding'));
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}

/**
 * Returns `Cache-Control` of the files that the Worker serves. A re-run replaces a clip and its owner may delete it, so
 * copies are revalidated. Shared caches may keep a file only if a deletion purges them.
 */
export function fileCacheControl({ purge }: { readonly purge: object | null }): string {
  return `${purge === null ? 'private' : 'public'}, max-age=${FILE_AGE_S}`;
}

/** `Cache-Control` of a clip's pages: browsers revalidate each time, shared caches every ten seconds. */
export const PAGE_CACHING = 'public, max-age=0, s-maxage=10, stale-while-revalidate=10';

/** A part of a file in bytes; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a `Range` header for a file of `size` bytes (RFC 9110 section 14). Null: send the whole file, because the
 * header is malformed, of another unit, or has several ranges. `unsatisfiable`: it is outside of the file.
 */
export function parseRange(header: string, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header.trim());
  if (!match) return null;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
