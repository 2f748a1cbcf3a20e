import { describe, expect, it } from 'vitest';
import { afterTries, type EffectOutcome, extendOutbox, type OutboxEntry, type OutsideEffect } from '#domain/outbox.ts';
import { DEFAULT_SCHEDULE } from '#domain/schedule.ts';
import { T0 } from './builders.ts';

const SECOND = 1000;
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

  it('replaces an older projection and an older effect of the queue', () => {
    const before = [entry({ type: 'project' }), entry({ type: 'offer' }), entry(FILES)];
    expect(types(extendOutbox(before, [{ type: 'project' }], pending, T0))).toEqual([
      'offer',
      'delete-files',
      'project',
    ]);
    expect(types(extendOutbox(before, [{ type: 'started' }], pending, T0))).toEqual([
      'project',
      'delete-files',
      'started',
    ]);
    for (const type of ['offer', 'started', 'settle'] as const) {
      expect(types(extendOutbox([entry({ type })], [{ type: 'settle' }], pending, T0))).toEqual(['settle']);
    }
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
