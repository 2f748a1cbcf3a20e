import { expect, test } from 'vitest';
import { checkSize, outputLimit } from '#render-host/decompress/unpack-stream.ts';

const MIB = 1024 ** 2;

test.each([
  ['what is accepted at most', 100 * MIB, 5000 * MIB],
  ['so many times the archive', 10 * MIB, 2000 * MIB],
  ['64 MiB, however small the archive is', 1, 64 * MIB],
])('out of an archive may come %s', (_, archive, limit) => {
  expect(outputLimit(archive, { maxBytes: 5000 * MIB, maxRatio: 200 })).toBe(limit);
});

test('never more than is accepted', () => {
  expect(outputLimit(1, { maxBytes: 10, maxRatio: 200 })).toBe(10);
});

test('the limit itself is no breach of it', () => {
  expect(() => checkSize(10, 10)).not.toThrow();
  expect(() => checkSize(11, 10)).toThrow('more than the 10 bytes');
});
