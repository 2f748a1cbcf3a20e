import { describe, expect, it } from 'vitest';
import { countAttempt, createDelivery, finishAttempt } from '#domain/delivery.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { T0 } from './builders.ts';

const SECOND = 1000;
const schedule = { ...DEFAULT_SCHEDULE, webhookAttempts: 3, webhookSpacing: 900 * SECOND };
const fresh = createDelivery('d', 2, T0);

describe('a delivery', () => {
  it('is due at once', () => {
    expect(fresh).toEqual({ id: 'd', run: 2, status: 'queued', attempts: 0, nextAt: T0, createdAt: T0 });
  });

  it('counts its attempt before that is made, and looks again in half a minute', () => {
    expect(countAttempt(fresh, T0 + 5)).toEqual({ ...fresh, attempts: 1, nextAt: T0 + 5 + 30 * SECOND });
  });

  it.each([200, 204, 299])('has arrived with a %i', (status) => {
    const done = finishAttempt(countAttempt(fresh, T0), { status, error: null }, T0, schedule);
    expect(done).toMatchObject({ status: 'delivered', nextAt: null, attempts: 1 });
  });

  it.each([199, 300, 302, 404, 500, null])('waits on after %s, from the beginning of the attempt', (status) => {
    const begun = countAttempt(fresh, T0);
    const next = finishAttempt(begun, { status, error: 'no' }, T0 + 7, schedule);
    expect(next).toEqual({ ...begun, nextAt: T0 + 7 + 900 * SECOND });
  });

  it('is used up after its last attempt, and not one before', () => {
    const result = { status: 500, error: 'no' };
    expect(finishAttempt({ ...fresh, attempts: 2 }, result, T0, schedule).status).toBe('queued');
    expect(finishAttempt({ ...fresh, attempts: 3 }, result, T0, schedule)).toMatchObject({
      status: 'exhausted',
      nextAt: null,
    });
  });

  it('waits as long as its receiver asks, whatever its attempts, but no longer than a day in all', () => {
    const asked = (wait: number | null, at = T0) =>
      finishAttempt({ ...fresh, attempts: 3 }, { status: 429, error: 'no', wait }, at, schedule);
    expect(asked(64_570, T0 + 7)).toEqual({ ...fresh, attempts: 3, nextAt: T0 + 7 + 64_570 });
    const day = 24 * 3600 * SECOND;
    expect(asked(SECOND, T0 + day - SECOND)).toMatchObject({ status: 'queued', nextAt: T0 + day });
    expect(asked(SECOND, T0 + day - SECOND + 1)).toMatchObject({ status: 'exhausted', nextAt: null });
  });

  it('ends at its first attempt if its receiver refuses it for good', () => {
    const refused = { status: 404, error: 'no', wait: null };
    expect(finishAttempt({ ...fresh, attempts: 1 }, refused, T0, schedule)).toMatchObject({
      status: 'exhausted',
      nextAt: null,
    });
  });

  it.each(['canceled', 'delivered', 'exhausted'] as const)('that is %s stays so, whatever came of it', (status) => {
    const over = { ...fresh, status, nextAt: null };
    expect(finishAttempt(over, { status: 200, error: null }, T0, schedule)).toBe(over);
    expect(finishAttempt(over, { status: 500, error: 'no' }, T0, schedule)).toBe(over);
  });
});
