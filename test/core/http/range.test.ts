import { describe, expect, it } from 'vitest';
import { parseRange } from '#http/range.ts';

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

  it('does not read an empty file', () => {
    expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
    expect(parseRange('bytes=-5', 0)).toBe('unsatisfiable');
  });
});
