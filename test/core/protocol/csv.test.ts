import { expect, it } from 'vitest';
import { csvRow } from '#protocol/csv.ts';
import { formatKey, KeyCursor } from '#protocol/key-cursor.ts';

it.each([
  [['a', 1.5, null], 'a,1.5,'],
  [['a,b', 'say "no"', 'two\nlines', 'a;b'], '"a,b","say ""no""","two\nlines","a;b"'],
  [['=1+1', '+1', '-1', '@A1', '\tx', '＝1', -1], `'=1+1,'+1,'-1,'@A1,"'\tx",'＝1,-1`],
  [['a=1', 'b-c'], 'a=1,b-c'],
])('a row of CSV: %j', (cells, row) => {
  expect(csvRow(cells)).toBe(`${row}\r\n`);
});

it('a cursor keeps the values of a key, and no other text is one', () => {
  const key = [20_484, 'b0000000-0000-4000-8000-000000000000', 'metered', 1080, 60, ''];
  expect(KeyCursor.parse(formatKey(key))).toEqual(key);
  expect(KeyCursor.safeParse("'; DROP").success).toBe(false);
});
