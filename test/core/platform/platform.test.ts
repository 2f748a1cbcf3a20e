import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { placedIn } from '#platform/placed-in.ts';
import { loadSettings } from '#platform/settings.ts';

describe('the log', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describe('the log', () => {
    it('has a line of JSON for each message, in the console of its level', () => {
      const info = vi.spyOn(console, 'info').mockReturnValue();
      const error = vi.spyOn(console, 'error').mockReturnValue();
      const log = createLog('info');
      log('job changed', { job: 'j', to: 'done' }, 'info');
      log('effect failed', { effect: 'project' });
      expect(info.mock.calls).toEqual([['{"level":"info","message":"job changed","job":"j","to":"done"}']]);
      expect(error.mock.calls).toEqual([['{"level":"error","message":"effect failed","effect":"project"}']]);
    });

    it('leaves out what is not asked for', () => {
      const info = vi.spyOn(console, 'info').mockReturnValue();
      const error = vi.spyOn(console, 'error').mockReturnValue();
      const log = createLog('error');
      log('job changed', {}, 'info');
      log('effect failed', {});
      expect([info.mock.calls.length, error.mock.calls.length]).toEqual([0, 1]);
    });
  });
});

const REQUIRED = {
  BASE_URL: 'https://tickreel.test',
  ACCEPTED_DEMO_DOMAINS: '*',
  CLIP_ID_SECRET: 'a-secret-for-the-ids-of-clips-in-tests',
};

/** Creates a namespace that records its calls; the local runtime has no jurisdictions. */
function createNamespace(asked: unknown[], within: string | null = null): DurableObjectNamespace {
  return {
    getByName: (name: string, options?: object) => asked.push({ within, name, options }),
    jurisdiction: (name: string) => createNamespace(asked, name),
  } as never;
}

function askedFor(variables: object): unknown {
  const asked: unknown[] = [];
  const { place } = loadSettings({ ...REQUIRED, ...variables });
  placedIn(createNamespace(asked), place).getByName('a-job');
  return asked[0];
}

describe('the place of objects', () => {
  it('is the jurisdiction and the region that are set', () => {
    expect(askedFor({ JURISDICTION: 'eu', LOCATION_HINT: 'weur' })).toEqual({
      within: 'eu',
      name: 'a-job',
      options: { locationHint: 'weur' },
    });
  });

  it('is where they are first reached unless it is set', () => {
    expect(askedFor({})).toEqual({ within: null, name: 'a-job', options: undefined });
  });

  it('is refused where there is no such place', () => {
    expect(() => askedFor({ JURISDICTION: 'mars' })).toThrow('JURISDICTION');
    expect(askedFor({ LOCATION_HINT: 'moon' })).toMatchObject({ options: undefined });
  });
});
