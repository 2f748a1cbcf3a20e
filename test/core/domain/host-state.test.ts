import { describe, expect, it } from 'vitest';
import { type HostFacts, holdAt, hostState } from '#domain/host-state.ts';
import { T0 } from './builders.ts';

const MINUTE = 60_000;
const IDLE: HostFacts = {
  ...{ isRevoked: false, isBarred: false, hold: null, holdUntil: null, asideUntil: null, lastSeen: T0, jobs: 0 },
};
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
    ['that is paused and set aside', { asideUntil: LATER, hold: 'paused' }, 'paused'],
  ])('%s', (_, facts, state) => {
    expect(hostState({ ...IDLE, ...facts }, T0)).toBe(state);
  });
});

it('a hold is in force until its end', () => {
  const hold = { hold: 'draining', holdUntil: LATER } as const;
  expect([holdAt(hold, LATER - 1), holdAt(hold, LATER), holdAt({ ...hold, holdUntil: null }, LATER)]).toEqual([
    'draining',
    null,
    'draining',
  ]);
});
