import { describe, expect, it } from 'vitest';
import { takesGzip } from '#http/accept.ts';

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
