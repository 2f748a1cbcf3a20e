import { describe, expect, it } from 'vitest';
import { withCors } from '#http/cors.ts';
import { checkConditions, parseRange, rangeStillValid, takesGzip } from '#http/headers.ts';

const asked = (header: string | null, sent?: string) => ({
  headers: new Headers(header === null ? {} : { 'Accept-Encoding': header }),
  ...(sent === undefined ? {} : { cf: { clientAcceptEncoding: sent } }),
});

describe('gzip (RFC 9110 section 12.5.3)', () => {
  it.each([
    [null, false],
    ['', false],
    ['identity', false],
    ['gzip', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['br, gzip', true],
    ['br;q=1.0, gzip ; q=0.8, *;q=0.1', true],
    ['*', true],
    ['*;q=0', false],
    ['br', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000, *', false],
    ['*;q=0, gzip', true],
    ['identity;q=0.5, gzip;q=1', true],
    ['gzip;q=0.5, identity', false],
    ['identity;q=0, *', true],
    ['gzip;q=high', false],
    ['not-gzip-at-all', false],
  ] as const)('%j: %s', (header, taken) => expect(takesGzip(asked(header))).toBe(taken));

  it('follows the header of the client if the platform has replaced it', () => {
    expect(takesGzip(asked('br, gzip', ''))).toBe(false);
    expect(takesGzip(asked('br, gzip', 'identity'))).toBe(false);
    expect(takesGzip(asked('br', 'gzip'))).toBe(true);
  });
});

const ETAG = '"abc"';
/** The header has whole seconds; the file was written in the middle of one. */
const MODIFIED = Date.UTC(2026, 0, 2, 3, 4, 5) + 678;
const AT = 'Fri, 02 Jan 2026 03:04:05 GMT';
const BEFORE = 'Fri, 02 Jan 2026 03:04:04 GMT';
const AFTER = 'Fri, 02 Jan 2026 03:04:06 GMT';

const check = (headers: HeadersInit) => checkConditions(new Headers(headers), ETAG, MODIFIED);
const valid = (ifRange?: string) =>
  rangeStillValid(new Headers(ifRange === undefined ? {} : { 'If-Range': ifRange }), ETAG, MODIFIED);

describe('the conditions of a request', () => {
  it('If-Match names this content, strongly', () => {
    for (const tag of [ETAG, '*', ' * ', '"x", "abc"']) expect(check({ 'If-Match': tag })).toBe('go_on');
    for (const tag of ['"x"', 'W/"abc"', '']) expect(check({ 'If-Match': tag })).toBe(412);
  });

  it('If-Unmodified-Since counts only without If-Match', () => {
    expect(check({ 'If-Unmodified-Since': BEFORE })).toBe(412);
    expect(check({ 'If-Unmodified-Since': AT })).toBe('go_on');
    expect(check({ 'If-Unmodified-Since': 'yesterday' })).toBe('go_on');
    expect(check({ 'If-Match': ETAG, 'If-Unmodified-Since': BEFORE })).toBe('go_on');
  });

  it('If-None-Match names other content, weakly', () => {
    for (const tag of [ETAG, '*', 'W/"abc"', '"x", W/"abc"']) expect(check({ 'If-None-Match': tag })).toBe(304);
    for (const tag of ['"x"', 'xW/"abc"']) expect(check({ 'If-None-Match': tag })).toBe('go_on');
  });

  it('If-Modified-Since counts only without If-None-Match', () => {
    expect(check({ 'If-Modified-Since': AT })).toBe(304);
    expect(check({ 'If-Modified-Since': AFTER })).toBe(304);
    expect(check({ 'If-Modified-Since': BEFORE })).toBe('go_on');
    expect(check({ 'If-Modified-Since': 'soon' })).toBe('go_on');
    expect(check({ 'If-None-Match': '"x"', 'If-Modified-Since': AT })).toBe('go_on');
  });
});

describe('If-Range', () => {
  it('lets a part through only of the same content', () => {
    expect([valid(), valid(ETAG), valid(` ${ETAG} `), valid(AT)]).toEqual([true, true, true, true]);
    expect([valid('"x"'), valid('W/"abc"'), valid(AFTER), valid(BEFORE), valid('never')]).toEqual(Array(5).fill(false));
  });
});

describe('a Range header of a file of 100 bytes', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=10-19', { start: 10, end: 20 }],
    ['bytes=10-', { start: 10, end: 100 }],
    ['bytes=10-1000', { start: 10, end: 100 }],
    ['bytes=99-99', { start: 99, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    [' BYTES= 0-1 ', { start: 0, end: 2 }],
  ])('%s asks for a part', (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s is outside', (header) => {
    expect(parseRange(header, 100)).toBe('unsatisfiable');
  });

  it.each(['bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'items=0-1', 'bytes=a-b', 'xbytes=0-1', 'bytes=0-1x', ''])(
    '%s is as good as none',
    (header) => {
      expect(parseRange(header, 100)).toBeNull();
    },
  );
});

describe('CORS', () => {
  const asked: string[] = [];
  const app = withCors(async ({ method, url }) => {
    asked.push(`${method} ${new URL(url).pathname}`);
    return new Response('{}', { status: 401, headers: { 'X-Request-Id': 'r-1' } });
  }, '/api/');
  const send = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
    app(new Request(`https://tickreel.test${path}`, { method, headers }), { waitUntil: () => {} });
  const origin = (response: Response) => response.headers.get('Access-Control-Allow-Origin');

  it('a preflight is answered without authentication', async () => {
    const answer = await send('/api/clips', 'OPTIONS', {
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization, content-type, baggage, sentry-trace, traceparent',
    });
    expect([answer.status, origin(answer), asked]).toEqual([204, '*', []]);
    expect(answer.headers.get('Access-Control-Allow-Methods')).toContain('PATCH');
    expect(answer.headers.get('Access-Control-Allow-Headers')).toBe(
      'authorization, content-type, baggage, sentry-trace, traceparent',
    );
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  });

  it('every answer of the API is for any page, a refusal too; nothing else is', async () => {
    const refused = await send('/api/clips');
    expect([refused.status, origin(refused)]).toEqual([401, '*']);
    expect(refused.headers.get('Access-Control-Expose-Headers')).toContain('Retry-After');
    for (const path of ['/', '/clips/x', '/admin/accounts', '/console/session', '/gateway/v1/claim', '/apis/x']) {
      expect(origin(await send(path))).toBeNull();
      expect(origin(await send(path, 'OPTIONS', { 'Access-Control-Request-Method': 'GET' }))).toBeNull();
    }
  });
});
