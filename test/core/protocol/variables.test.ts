import { describe, expect, it } from 'vitest';
import { checkVariables, readVariables, VARIABLES } from '#protocol/operate/variables.ts';
import { RIGHT, wrongValue } from '../../support/variables.ts';

const faultsOf = (env: object) => readVariables(env).faults;
const without = (name: string) => Object.fromEntries(Object.entries(RIGHT).filter(([key]) => key !== name));
const LOCAL_ONLY = ['FACEIT_URL', 'TIME_SCALE', 'LEASE_S'];
const FATAL = ['BASE_URL', 'CLIP_ID_SECRET', 'FENCE_FLOOR', 'JURISDICTION'];

describe('the variables of a deployment', () => {
  it('that are all right have no fault', () => {
    expect(faultsOf(RIGHT)).toEqual([]);
    const optional = VARIABLES.filter(
      (name) => !(name in RIGHT) && !name.startsWith('LIMIT_') && !LOCAL_ONLY.includes(name) && name !== 'JURISDICTION',
    );
    expect(optional).toEqual([]);
  });

  it.each(VARIABLES.filter((name) => wrongValue(name) !== null))('%s: a wrong value is named and not shown', (name) => {
    const wrong = wrongValue(name) ?? '';
    const { values, faults } = readVariables({ ...RIGHT, [name]: wrong });
    expect(faults.map(({ variable }) => variable)).toContain(name);
    expect(faults.filter(({ isFatal }) => isFatal).map(({ variable }) => variable)).toEqual(
      FATAL.includes(name) ? [name] : [],
    );
    if (name !== 'LANDING_CLIP_ID') expect(JSON.stringify([faults, values])).not.toContain(wrong);
  });

  it.each(Object.keys(RIGHT))('%s: an empty value counts as missing, except for BRAND_NAME', (name) => {
    const { values, faults } = readVariables(without(name));
    const named = name === 'BRAND_NAME' ? { BRAND_NAME: '' } : {};
    expect(readVariables({ ...RIGHT, [name]: '' })).toEqual({ values: { ...values, ...named }, faults });
  });

  it('is fatal for the service only without an address or the secret of clip ids', () => {
    const fatal = (env: object) => faultsOf(env).flatMap(({ variable, isFatal }) => (isFatal ? [variable] : []));
    expect(fatal({})).toEqual(['BASE_URL', 'CLIP_ID_SECRET']);
    for (const name of Object.keys(RIGHT)) {
      expect(fatal(without(name))).toEqual(['BASE_URL', 'CLIP_ID_SECRET'].filter((one) => one === name));
    }
  });
});

describe('one of two partners', () => {
  it.each([
    ['PURGE_TOKEN', 'is missing; PURGE_ZONE_ID cannot be used without it'],
    ['PURGE_ZONE_ID', 'is missing; PURGE_TOKEN cannot be used without it'],
  ])('without %s is ignored', (variable, problem) => {
    const { values, faults } = readVariables(without(variable));
    expect(faults).toEqual([{ variable, problem, isMissing: true }]);
    expect([values.PURGE_ZONE_ID, values.PURGE_TOKEN]).toEqual([undefined, undefined]);
  });

  it('with a wrong value is ignored, and only that is named', () => {
    const { values, faults } = readVariables({ ...RIGHT, PURGE_ZONE_ID: 'zone' });
    expect(faults).toMatchObject([{ variable: 'PURGE_ZONE_ID', problem: expect.stringContaining('it is ignored') }]);
    expect(values.PURGE_TOKEN).toBeUndefined();
    const missing = { variable: 'FACEIT_API_KEY', problem: expect.stringContaining('FACEIT_DOWNLOADS_KEY cannot') };
    expect(readVariables({ ...RIGHT, FACEIT_API_KEY: '', FACEIT_DOWNLOADS_KEY: 'a-second-key' }).faults).toMatchObject([
      missing,
    ]);
  });

  it('is no fault if both are missing', () => {
    expect(faultsOf({ ...RIGHT, PURGE_TOKEN: '', PURGE_ZONE_ID: '' })).toEqual([]);
  });
});

describe('what is used instead of a wrong value', () => {
  it('deletes nothing that the operator wanted to keep, and accepts no demo that they did not; names nobody', () => {
    const wrong = {
      ...RIGHT,
      CLIP_TTL_DAYS: '1 year',
      DEMO_TTL_DAYS: 'x',
      REQUEST_TTL_DAYS: 'x',
      LIMIT_JOBS_KEPT: '5,000,000',
      BRAND_NAME: 'x'.repeat(61),
    };
    const { values } = readVariables({ ...wrong, ACCEPTED_DEMO_DOMAINS: 'https://faceit.com' });
    expect(values).toMatchObject({ CLIP_TTL_DAYS: 36_500, DEMO_TTL_DAYS: 36_500, ACCEPTED_DEMO_DOMAINS: [] });
    expect(values.LIMIT_JOBS_KEPT).toBe(Number.MAX_SAFE_INTEGER);
    expect([values.REQUEST_TTL_DAYS, values.BRAND_NAME]).toEqual([undefined, '']);
  });

  it('is the default, which is named', () => {
    const { values, faults } = readVariables({ ...RIGHT, ENVIRONMENT: 'prod', LIMIT_JOBS: '0' });
    expect(values).toMatchObject({ ENVIRONMENT: 'production', LIMIT_JOBS: 20_000 });
    expect(faults.map(({ variable, problem }) => `${variable} ${problem}`)).toEqual([
      expect.stringMatching(/^ENVIRONMENT .*; "production" is used instead$/),
      expect.stringMatching(/^LIMIT_JOBS .*; 20000 is used instead$/),
    ]);
  });

  it('is nothing for what only a local stack may set', () => {
    const local = { ...RIGHT, TIME_SCALE: '0.1', LEASE_S: '5', LANDING_CLIP_ID: 'latest' };
    expect(faultsOf({ ...local, ENVIRONMENT: 'local' })).toEqual([]);
    const { values, faults } = readVariables(local);
    expect(faults.map(({ variable, problem }) => `${variable} ${problem}`)).toEqual([
      'TIME_SCALE is only for ENVIRONMENT = "local"; 1 is used instead',
      'LEASE_S is only for ENVIRONMENT = "local"; it is ignored',
      'LANDING_CLIP_ID is only for ENVIRONMENT = "local"; it is ignored',
    ]);
    expect([values.TIME_SCALE, values.LEASE_S, values.LANDING_CLIP_ID]).toEqual([1, undefined, undefined]);
  });
});

describe('a check before the upload', () => {
  const SECRETS = ['ADMIN_TOKEN', 'CLIP_ID_SECRET', 'METRICS_TOKEN', 'ALERT_WEBHOOK_URL', 'PURGE_TOKEN'];
  const vars = { BASE_URL: RIGHT.BASE_URL, ACCEPTED_DEMO_DOMAINS: '*', PURGE_ZONE_ID: RIGHT.PURGE_ZONE_ID };
  const lines = (of: object, secrets: readonly string[] | null) =>
    checkVariables(of as Record<string, unknown>, secrets).map(({ variable, problem }) => `${variable} ${problem}`);

  it('takes secrets that are set for right, and asks for those that are missing', () => {
    expect(lines(vars, SECRETS)).toEqual([]);
    expect(lines(vars, ['ADMIN_TOKEN'])).toEqual([
      'CLIP_ID_SECRET is missing',
      'PURGE_TOKEN is missing; PURGE_ZONE_ID cannot be used without it',
    ]);
    expect(lines({ BASE_URL: RIGHT.BASE_URL, ACCEPTED_DEMO_DOMAINS: '*' }, SECRETS)).toEqual([
      'PURGE_ZONE_ID is missing; PURGE_TOKEN cannot be used without it',
    ]);
  });

  it('asks for no secret where it does not know them', () => {
    expect(lines(vars, null)).toEqual([]);
    expect(lines({ ...vars, BASE_URL: '' }, null)).toEqual(['BASE_URL is missing']);
    expect(lines({ ...vars, ADMIN_TOKEN: 'short' }, ['OF_ANOTHER_PROGRAM', 'CLIP_ID_SECRET', 'PURGE_TOKEN'])).toEqual([
      expect.stringMatching(/^ADMIN_TOKEN .*; it is ignored$/),
    ]);
    expect(lines({ ...vars, LOG_LEVEL: 'all' }, null)).toEqual([expect.stringContaining('LOG_LEVEL')]);
  });

  it('checks the value of a secret that is being set', () => {
    expect(lines({ ...vars, METRICS_TOKEN: 'short' }, SECRETS)).toEqual([expect.stringContaining('METRICS_TOKEN')]);
  });

  it('names an unknown variable, and the one that was meant', () => {
    expect(lines({ ...vars, PURGE_ZONEID: 'x', MY_OWN_THING: 'x' }, SECRETS)).toEqual([
      'PURGE_ZONEID is no variable of the service: did you mean PURGE_ZONE_ID?',
      'MY_OWN_THING is no variable of the service',
    ]);
  });
});
