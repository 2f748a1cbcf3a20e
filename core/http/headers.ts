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
