import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOLDS, type HostFacts, holdAt, hostState, type Rest } from '#domain/host-state.ts';
import { T0 } from './builders.ts';

const MINUTE = 60_000;
const IDLE: HostFacts = {
  ...{ isRevoked: false, isBarred: false, hold: null, holdUntil: null, asideUntil: null, lastSeen: T0, jobs: 0 },
  ...{ rest: null, isSilent: false },
};
const REFUSED: Rest = { why: 'it answered 401', isAsked: false, until: T0 + MINUTE };
const FULL: Rest = { why: 'it answered 429', isAsked: true, until: null };
const LATER = T0 + 60 * MINUTE;

describe('the state of a host', () => {
  it.each<[string, Partial<HostFacts>, string]>([
    ['that asks for work', {}, 'idle'],
    ['that works', { jobs: 1 }, 'busy'],
    ['that works and was not heard of since', { jobs: 1, lastSeen: T0 - 60 * MINUTE }, 'busy'],
    ['that asked two and a half minutes ago', { lastSeen: T0 - 150_000 }, 'idle'],
    ['that asked longer ago', { lastSeen: T0 - 150_001 }, 'gone'],
    ['that never asked', { lastSeen: null }, 'gone'],
    ['that was revoked', { isRevoked: true }, 'gone'],
    ['that was revoked at work', { isRevoked: true, jobs: 2 }, 'gone'],
    ['that is paused', { hold: 'paused' }, 'paused'],
    ['that is paused for a while', { hold: 'paused', holdUntil: LATER }, 'paused'],
    ['whose pause is over', { hold: 'paused', holdUntil: T0 }, 'idle'],
    ['that is paused at work', { hold: 'paused', jobs: 1 }, 'paused'],
    ['that drains', { hold: 'draining', jobs: 1 }, 'draining'],
    ['that has drained', { hold: 'draining' }, 'draining'],
    ['that has drained and left', { hold: 'draining', lastSeen: T0 - 10 * MINUTE }, 'gone'],
    ['that its faults set aside', { asideUntil: LATER }, 'set aside'],
    ['that its faults set aside at work', { asideUntil: LATER, jobs: 1 }, 'set aside'],
    ['that is tried again', { asideUntil: T0, jobs: 1 }, 'busy'],
    ['whose lease ended in silence', { isSilent: true, lastSeen: T0 - MINUTE }, 'lost'],
    ['that was lost an hour ago', { isSilent: true, lastSeen: T0 - 60 * MINUTE }, 'lost'],
    ['that lost one of two leases', { isSilent: true, jobs: 1 }, 'busy'],
    ['that was lost and is revoked', { isSilent: true, isRevoked: true }, 'gone'],
    ['that was lost while it drained', { isSilent: true, hold: 'draining' }, 'lost'],
    ['that was lost and set aside', { isSilent: true, asideUntil: LATER }, 'lost'],
    ['that refuses jobs', { rest: REFUSED, lastSeen: null }, 'resting'],
    ['that refuses jobs at work', { rest: REFUSED, jobs: 1 }, 'resting'],
    ['that is full at work', { rest: FULL, jobs: 1 }, 'busy'],
    ['that says that it is full, without a job', { rest: FULL }, 'resting'],
    ['that refuses jobs and is paused', { rest: REFUSED, hold: 'paused' }, 'paused'],
    ['that refuses jobs and is barred', { rest: REFUSED, isBarred: true }, 'set aside'],
    ['that is paused and set aside', { asideUntil: LATER, hold: 'paused' }, 'paused'],
  ])('%s', (_, facts, state) => {
    expect(hostState({ ...IDLE, ...facts }, T0)).toBe(state);
  });
});

const anyFacts = fc.record<HostFacts>({
  isRevoked: fc.boolean(),
  isBarred: fc.boolean(),
  isSilent: fc.boolean(),
  hold: fc.constantFrom(null, ...HOLDS),
  holdUntil: fc.constantFrom(null, T0, LATER),
  asideUntil: fc.constantFrom(null, T0, LATER),
  rest: fc.constantFrom(null, REFUSED, FULL),
  lastSeen: fc.constantFrom(null, T0, T0 - 60 * MINUTE),
  jobs: fc.nat(2),
});

it('a host without a job and a sign of life is never idle or busy, and one with a job is never lost or gone', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const state = hostState({ ...facts, isRevoked: false }, T0);
      const isThere = facts.jobs > 0 || (!facts.isSilent && facts.lastSeen === T0);
      if (!isThere) expect(['idle', 'busy']).not.toContain(state);
      if (facts.jobs > 0) expect(['idle', 'lost', 'gone']).not.toContain(state);
      if (state === 'lost') expect(facts).toMatchObject({ isSilent: true, jobs: 0 });
      if (state === 'resting') expect(facts.rest).not.toBeNull();
      expect(hostState({ ...facts, isRevoked: true }, T0)).toBe('gone');
    }),
  );
});

it('a hold is in force until its end', () => {
  const hold = { hold: 'draining', holdUntil: LATER } as const;
  expect([holdAt(hold, LATER - 1), holdAt(hold, LATER), holdAt({ ...hold, holdUntil: null }, LATER)]).toEqual([
    'draining',
    null,
    'draining',
  ]);
});
