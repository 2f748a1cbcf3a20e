import { describe, expect, it } from 'vitest';
import { countAttempt, createDelivery, discordResult, finishAttempt } from '#domain/job/delivery.ts';
import {
  afterTries,
  type EffectOutcome,
  extendOutbox,
  type OutboxEntry,
  type OutsideEffect,
} from '#domain/job/outbox.ts';
import { DEFAULT_SCHEDULE } from '#domain/job/schedule.ts';
import { T0 } from './builders.ts';

const SECOND = 1000;
const schedule = { ...DEFAULT_SCHEDULE, webhookAttempts: 3, webhookSpacing: 900 * SECOND };
const fresh = createDelivery('d', 2, T0);

describe('a delivery', () => {
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

const answer = (status: number, retryAfter: string | null = null, json: unknown = null) =>
  discordResult(status, retryAfter, json);

describe('an answer of Discord', () => {
  it.each([200, 204, 299])('%i is a success', (status) => {
    expect(answer(status)).toEqual({ status, error: null });
  });

  it.each([199, 300, 302, 399, 500, 502, 599])('%i is tried again as the schedule says', (status) => {
    expect(answer(status)).toEqual({ status, error: `Discord answered ${status}` });
  });

  it.each([
    [400, ': it does not accept the message'],
    [401, ': the token of the webhook is not valid'],
    [403, ': the webhook may not post in this channel'],
    [404, ': the webhook does not exist'],
    [413, ''],
    [405, ''],
    [499, ''],
  ])('%i is final', (status, reason) => {
    expect(answer(status)).toEqual({ status, error: `Discord answered ${status}${reason}`, wait: null });
  });

  it.each([
    ['the body’s seconds, which may have a fraction', '65', { retry_after: 64.57, global: false }, 64.57, 64_570],
    ['whole milliseconds', null, { retry_after: 1.0001 }, 1.0001, 1001],
    ['the header’s without a body', '65', null, 65, 65_000],
    ['the header’s with another body', '65', { retry_after: 'soon' }, 65, 65_000],
    ['a second at least', '0', null, 1, 1000],
    ['a second at least, whatever it says', null, { retry_after: -5 }, 1, 1000],
    ['an hour at most', null, { retry_after: 1e9 }, 3600, 3_600_000],
    ['a minute where it says nothing', null, { message: 'slow' }, 60, 60_000],
    ['a minute where it says a date', 'Thu, 06 Aug 2026 18:31:01 GMT', null, 60, 60_000],
  ])('429 waits %s', (_, header, json, seconds, wait) => {
    expect(answer(429, header, json)).toEqual({ status: 429, error: `Discord asks to wait for ${seconds} s`, wait });
  });
});

const MINUTE = 60 * SECOND;
const entry = (effect: OutsideEffect, id = 'x', tries = 0): OutboxEntry => ({ id, effect, tries, dueAt: T0 });
const types = (outbox: readonly OutboxEntry[]) => outbox.map(({ effect }) => effect.type);
const FILES = { type: 'delete-files', prefix: 'clips/a/1/' } as const;
const pending = { status: 'pending', version: 3 } as const;

describe('what a change adds to the outbox', () => {
  it('is due at once, under names that are never used twice', () => {
    expect(extendOutbox([], [{ type: 'project' }, { type: 'offer' }], pending, T0)).toEqual([
      { id: '3.0', effect: { type: 'project' }, tries: 0, dueAt: T0 },
      { id: '3.1', effect: { type: 'offer' }, tries: 0, dueAt: T0 },
    ]);
  });

  it('stays public, whatever is projected next', () => {
    const before = [entry({ type: 'project', isPublic: true }), entry({ type: 'offer' })];
    const after = extendOutbox(before, [{ type: 'project' }], pending, T0);
    expect(after.map(({ effect }) => effect)).toEqual([{ type: 'offer' }, { type: 'project', isPublic: true }]);
    expect(extendOutbox(after, [{ type: 'started' }], pending, T0).map(({ effect }) => effect)).toEqual([
      { type: 'project', isPublic: true },
      { type: 'started' },
    ]);
  });

  it('leaves what happens each for itself', () => {
    expect(types(extendOutbox([entry(FILES)], [FILES], pending, T0))).toEqual(['delete-files', 'delete-files']);
  });

  it('ends the offer of a job that waits no more, and nothing else', () => {
    const before = [entry({ type: 'offer' }), entry({ type: 'settle' }), entry(FILES)];
    const after = extendOutbox(before, [], { status: 'error', version: 4 }, T0);
    expect(types(after)).toEqual(['settle', 'delete-files']);
    expect(types(extendOutbox(before, [], pending, T0))).toEqual(['offer', 'settle', 'delete-files']);
  });
});

const tried = (outcome: EffectOutcome, one: OutboxEntry) =>
  afterTries([one], new Map([[one.id, outcome]]), DEFAULT_SCHEDULE, T0);

describe('what is left after a try', () => {
  it('is nothing of what worked', () => {
    expect(tried('done', entry(FILES))).toEqual([]);
  });

  it('is an offer that worked: the queue may lose it', () => {
    expect(tried('done', entry({ type: 'offer' }))).toEqual([
      { ...entry({ type: 'offer' }), tries: 1, dueAt: T0 + MINUTE },
    ]);
    expect(tried('done', entry({ type: 'offer' }, 'x', 2))[0]?.dueAt).toBe(T0 + 4 * MINUTE);
  });

  it('is what failed, later each time, up to five minutes', () => {
    expect(tried('failed', entry(FILES))).toEqual([{ ...entry(FILES), tries: 1, dueAt: T0 + SECOND }]);
    expect(tried('failed', entry(FILES, 'x', 1))[0]?.dueAt).toBe(T0 + 2 * SECOND);
    expect(tried('failed', entry(FILES, 'x', 3))[0]?.dueAt).toBe(T0 + 8 * SECOND);
    expect(tried('failed', entry(FILES, 'x', 9))[0]?.dueAt).toBe(T0 + 5 * MINUTE);
    expect(tried('failed', entry(FILES, 'x', 5_000))[0]?.dueAt).toBe(T0 + 5 * MINUTE);
  });

  it('is what was not tried, as it was', () => {
    expect(afterTries([entry(FILES)], new Map(), DEFAULT_SCHEDULE, T0)).toEqual([entry(FILES)]);
  });
});
