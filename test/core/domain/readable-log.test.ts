import { expect, it } from 'vitest';
import { readableLog } from '#domain/readable-log.ts';
import { T0 } from './builders.ts';

it.each([
  [{ level: 30, time: T0 + 1234, pid: 7, hostname: 'gpu', name: 'render-host', job: 'a', msg: 'hi' }, '1.2 s info hi'],
  [{ level: 50, time: T0, msg: 'gone', err: { code: 'EIO' } }, '0.0 s error gone {"err":{"code":"EIO"}}'],
  [{ level: 35, time: T0 - 300_000, msg: 'early' }, '-300.0 s 35 early'],
  [{ level: 40, msg: 'without a time' }, '{"level":40,"msg":"without a time"}'],
])('of a line of JSON %o', (line, text) => {
  expect(readableLog(JSON.stringify(line), T0)).toBe(text);
});

it('keeps other lines, and their order', () => {
  const first = JSON.stringify({ level: 40, time: T0 + 50, msg: 'first' });
  expect(readableLog(`${first}\nplain text\n{cut\n{cut}\n[1]\n`, T0)).toBe(
    '0.1 s warn first\nplain text\n{cut\n{cut}\n[1]\n',
  );
});
