import { expect, test } from 'vitest';
import { fileKind } from '#domain/file-kind.ts';

const text = (start: string) => Buffer.from(start).toString('hex');

test.each([
  ['demo', text('PBDEMS2\0')],
  ['csgo-demo', text('HL2DEMO\0')],
  ['gzip', '1f8b0800'],
  ['bzip2', text('BZh1')],
  ['bzip2', text('BZh9')],
  ['zstd', '28b52ffd'],
  ['zstd', '5f2a4d18'],
  ['zip', '504b0304'],
  ['zip', '504b0506'],
  ['zip', '504b0708'],
  ['rar', text('Rar!\u001a\u0007\0')],
  ['rar', text('Rar!\u001a\u0007\u0001\0')],
  ['7z', '377abcaf271c0004'],
  ['xz', 'fd377a585a000004'],
  ['tar', text(`${'match.dem'.padEnd(257, '\0')}ustar`)],
  [null, text(`${'match.dem'.padEnd(256, '\0')}ustar`)],
  [null, text('Rar!\u001a\u0007\u0002\0')],
  [null, text('PBDEMS1\0')],
  [null, text('PBDEMS')],
  [null, text('BZh0')],
  [null, text('PK\u0001\u0002')],
  [null, text('<!doctype html>')],
  [null, ''],
  ...['1f8b', '425a6831', '28b52ffd', '5f2a4d18', '504b0304', text('PBDEMS2\0'), text('HL2DEMO\0')].map(
    (head): [null, string] => [null, `00${head}`],
  ),
])('%j begins with %s', (kind, head) => {
  expect(fileKind(head)).toBe(kind);
});
