import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '#platform/log.ts';

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
