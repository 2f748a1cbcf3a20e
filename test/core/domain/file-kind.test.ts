import { expect, test } from 'vitest';
import { describeWrongFile, fileKind, isCrLf, wrongFile } from '#domain/file-kind.ts';

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

test.each([
  ['empty', ''],
  ['html', '\n<!-- gone --><HTML lang="en">'],
  ['html', '\u00ef\u00bb\u00bf<!doctype html>'],
  ['html', '<?xml version="1.0"?>\r\n<!DOCTYPE html PUBLIC'],
  ['s3_error', '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'],
  ['xml', '<?xml version="1.0"?><rss>'],
  ['json', ' {"error":"not found"}'],
  ['json', '[]'],
  ['git_lfs', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a'],
  ['multipart', '--X7\r\nContent-Disposition: form-data; name="file"\r\n\r\nPBDEMS2\0'],
  ['text', 'Not found.\r\n'],
  ['text', '--- a list ---'],
  ['7z', '7z\u00bc\u00af\u0027\u001c'],
  [null, 'PBDEMS2\0'],
  [null, 'PBDEMS1\0{}'],
  [null, '{"binary":\u0001'],
])('%j is what begins with %j', (found, start) => {
  expect(wrongFile(Buffer.from(start, 'latin1').toString('hex'))).toBe(found);
});

test('an unknown kind has no description', () => {
  expect(describeWrongFile('html')).toBe('an HTML page');
  expect([null, 'a later word', 'toString'].map(describeWrongFile)).toEqual([null, null, null]);
});

test.each([
  [true, '\0\r\n'.repeat(8)],
  [false, '\0\r\n'.repeat(7)],
  [false, '\0\r\n'.repeat(99).concat('\n')],
  [false, ''],
])('%j: every line feed of many follows a carriage return', (found, content) => {
  expect(isCrLf(Buffer.from(content))).toBe(found);
});
