import { describe, expect, it } from 'vitest';
import { checkConditions, rangeStillValid } from '#http/conditions.ts';

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
  it('are none without a header', () => {
    expect(check({})).toBe('go_on');
  });

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
