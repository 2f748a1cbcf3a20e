import { expect, test } from 'vitest';
import { createProgressMeter, downloadFraction, type RenderProgress } from '#render-host/pipeline/render-observer.ts';

test('progress runs from 0 to 1 through the stages and never goes back', () => {
  const seen: RenderProgress[] = [];
  const advance = createProgressMeter((progress) => seen.push(progress));
  advance('download', 0);
  advance('download', 0.8);
  advance('download', 0.1);
  advance('decompress', 0);
  advance('parse', 0.5);
  advance('encode', 2);
  advance('thumbnail', 1);
  const values = seen.map(({ progress }) => progress);
  expect(values[0]).toBe(0);
  expect(values.at(-1)).toBe(1);
  expect(values).toEqual(values.toSorted((a, b) => a - b));
  const reading = ['download', 'download', 'download', 'decompress', 'parse'].map((stage) => `prefetch ${stage}`);
  expect(seen.map(({ phase, stage }) => `${phase} ${stage}`)).toEqual([
    ...reading,
    'render encode',
    'render thumbnail',
  ]);
});

test('a download of unknown length advances without ever being done', () => {
  const megabyte = 1024 ** 2;
  const fractions = [0, megabyte, 100 * megabyte, 10_000 * megabyte].map((bytes) => downloadFraction(bytes, null));
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions.at(-1)).toBeLessThan(1);
  expect(downloadFraction(50, 200)).toBe(0.25);
  expect(downloadFraction(0, 0)).toBe(0);
});
