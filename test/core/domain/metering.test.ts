import { expect, it } from 'vitest';
import { billedSeconds, DAY_MS, dayState, isoDate } from '#domain/metering.ts';

it('a day is settled two days after its end, and final after thirty', () => {
  const end = 20_000 * DAY_MS;
  const states = [end - 1, end, end + 2 * DAY_MS - 1, end + 2 * DAY_MS, end + 30 * DAY_MS - 1, end + 30 * DAY_MS];
  expect(states.map((now) => dayState(19_999, now))).toEqual([
    ...['open', 'open', 'open', 'settled', 'settled', 'final'],
  ]);
});

it('seconds are billed to thousandths', () => {
  expect([0, 0.1 + 0.2, 1.0004, 1.0005, 12.5166].map(billedSeconds)).toEqual([0, 0.3, 1, 1.001, 12.517]);
});

it('a day is written as its date', () => {
  expect([0, 20_484].map(isoDate)).toEqual(['1970-01-01', '2026-01-31']);
});
