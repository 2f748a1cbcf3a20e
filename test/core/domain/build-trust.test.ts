import { describe, expect, it } from 'vitest';
import { type BuildObjection, type HostBuild, type KnownBuilds, objectionTo } from '#domain/build-trust.ts';

const HOST: HostBuild = { gameBuild: '2', unfitBuild: null };
const known = (
  about: Partial<Record<'passed' | 'failed' | 'refused', string>> & { hasGolden?: boolean } = {},
): KnownBuilds => ({
  passed: new Set([about.passed ?? '1']),
  failed: new Set([about.failed ?? '3']),
  refused: new Set(about.refused ? [about.refused] : []),
  hasGolden: about.hasGolden ?? false,
});
const GOOD = { golden: { passed: true } };
const TOO_OLD = { golden: { passed: false, refused: true } };
const BAD = { golden: { passed: false } };

describe('a host', () => {
  it.each<[string, Partial<HostBuild>, Parameters<typeof known>[0], BuildObjection | null]>([
    ['without a game', { gameBuild: null }, { hasGolden: true }, null],
    ['whose build is unproven', {}, {}, null],
    ['whose build is unproven where others have golden demos', {}, { hasGolden: true }, 'unproven'],
    ['whose build has passed', {}, { passed: '2', hasGolden: true }, null],
    ['whose build has failed', {}, { failed: '2' }, 'failed-elsewhere'],
    ['whose build has failed on one host and passed on another', {}, { failed: '2', passed: '2' }, null],
    ['whose own demos were good', GOOD, { failed: '2', hasGolden: true }, null],
    ['whose own demos the game refuses', TOO_OLD, { hasGolden: true }, null],
    [
      'whose own demos the game refuses, with a build that failed elsewhere',
      TOO_OLD,
      { failed: '2' },
      'failed-elsewhere',
    ],
    ['whose build refuses the demos of others', {}, { refused: '2', hasGolden: true }, null],
    ['whose own demos failed', BAD, {}, 'failed'],
    ['whose own demos failed, with a build that passed elsewhere', BAD, { passed: '2' }, 'failed'],
    ['whose recorder does not fit', { unfitBuild: '2' }, { passed: '2' }, 'unfit'],
    ['whose recorder does not fit, but was good before', { unfitBuild: '2', ...GOOD }, {}, 'unfit'],
    ['whose recorder did not fit another build', { unfitBuild: '1' }, {}, null],
  ])('%s', (_what, host, about, objection) => {
    expect(objectionTo({ ...HOST, ...host }, known(about), 'allow')).toBe(objection);
  });

  it.each<[Parameters<typeof known>[0], Partial<HostBuild>, BuildObjection | null]>([
    [{}, {}, 'unproven'],
    [{ passed: '2' }, {}, null],
    [{}, GOOD, null],
    [{}, TOO_OLD, 'unproven'],
    [{ passed: '2' }, TOO_OLD, null],
    [{}, { gameBuild: null }, null],
  ])('of a service that refuses unproven builds: %j, %j', (about, host, objection) => {
    expect(objectionTo({ ...HOST, ...host }, known(about), 'refuse')).toBe(objection);
  });
});
