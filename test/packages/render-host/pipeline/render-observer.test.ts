import { expect, test } from 'vitest';
import { createStageClock } from '#render-host/pipeline/render-observer.ts';

test('each stage is reported once with its time, when the next begins or all have ended', () => {
  let now = 1000;
  const ended: [string, number][] = [];
  const clock = createStageClock(
    (stage, seconds) => void ended.push([stage, seconds]),
    () => now,
  );
  clock.enter('download');
  now += 500;
  clock.enter('download');
  now += 1500;
  clock.enter('parse');
  expect(ended).toEqual([['download', 2]]);
  now += 250;
  clock.end();
  clock.end();
  expect(ended).toEqual([
    ['download', 2],
    ['parse', 0.25],
  ]);
});
