import { describe, expect, it } from 'vitest';
import { DEFAULT_SCHEDULE, reofferWait, retryWait, scaleSchedule } from '#domain/schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('the schedule', () => {
  it('is what the contract and the documents say', () => {
    expect(DEFAULT_SCHEDULE).toEqual({
      retryWaits: [15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
      webhookSpacing: 15 * MINUTE,
      runDeadline: 7 * 24 * 60 * MINUTE,
      hostBudget: 6 * 60 * MINUTE,
      secretKept: Number.POSITIVE_INFINITY,
      rerunsAnHour: Number.POSITIVE_INFINITY,
      webhookAttempts: 10,
      leaseTtl: MINUTE,
      confirmWithin: 5 * SECOND,
      answerWithin: 9 * SECOND,
      avoidFor: 30 * SECOND,
      reofferFirst: MINUTE,
      reofferMax: 15 * MINUTE,
    });
  });

  it('scales the waits of retries and webhooks, and no lease', () => {
    expect(scaleSchedule(DEFAULT_SCHEDULE, 0.1)).toEqual({
      ...DEFAULT_SCHEDULE,
      retryWaits: [1.5 * SECOND, 6 * SECOND, 30 * SECOND, 90 * SECOND, 180 * SECOND],
      webhookSpacing: 90 * SECOND,
      avoidFor: 3 * SECOND,
    });
  });
});

describe('the wait before a retry', () => {
  it('is that of its number, spread over a tenth each way', () => {
    expect(retryWait(DEFAULT_SCHEDULE, 1, 0.5)).toBe(15 * SECOND);
    expect(retryWait(DEFAULT_SCHEDULE, 1, 0)).toBe(13.5 * SECOND);
    expect(retryWait(DEFAULT_SCHEDULE, 1, 1)).toBe(16.5 * SECOND);
    expect(retryWait(DEFAULT_SCHEDULE, 5, 0.5)).toBe(30 * MINUTE);
    expect(retryWait({ ...DEFAULT_SCHEDULE, retryWaits: [1.4] }, 1, 0.5)).toBe(1);
  });

  it('is none when no retry is left', () => {
    expect(retryWait(DEFAULT_SCHEDULE, 6, 0.5)).toBeNull();
  });
});

it('a queued job offers itself again after twice as long each time, up to the most', () => {
  expect([0, 1, 2, 3, 4, 5].map((offers) => reofferWait(DEFAULT_SCHEDULE, offers) / MINUTE)).toEqual([
    1, 2, 4, 8, 15, 15,
  ]);
  expect(reofferWait(DEFAULT_SCHEDULE, 10_000)).toBe(15 * MINUTE);
});
