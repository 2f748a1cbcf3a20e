import { expect, it } from 'vitest';
import { tierOf } from '#domain/clip.ts';
import { ERROR_CODE_LIST, isRetryable, mayPass } from '#domain/error-codes.ts';
import { assertExhaustive } from '#domain/exhaustive.ts';
import { failure } from '#domain/failure.ts';
import { isFinished, isInFlight, JOB_STATUSES } from '#domain/job.ts';
import { widthOf } from '#domain/picture.ts';
import { DONE, refuse, value } from '#domain/result.ts';

it('a job is finished, in flight, or waits for its retry', () => {
  expect(JOB_STATUSES.filter(isFinished)).toEqual(['done', 'error']);
  expect(JOB_STATUSES.filter(isInFlight)).toEqual(['pending', 'prefetch', 'render']);
});

it('exactly the troubles that may pass are tried again', () => {
  expect(ERROR_CODE_LIST.filter(isRetryable)).toEqual([
    'download_timeout',
    'download_error',
    'cs2_unavailable',
    'upload_error',
  ]);
});

it('exactly the faults of hosts and of the network may pass in another run', () => {
  const passing = ['download_timeout', 'download_error', 'cs2_unavailable', 'render_failed', 'upload_error'];
  expect([null, 'of_later', ...ERROR_CODE_LIST].filter(mayPass)).toEqual([...passing, 'finalize_failed']);
});

it('the reserved key submits priority jobs', () => {
  expect([tierOf(true), tierOf(false)]).toEqual(['reserved', 'metered']);
});

it('a case that was forgotten is named', () => {
  expect(() => assertExhaustive({ type: 'new' } as never)).toThrow('unhandled case: {"type":"new"}');
});

it('an answer across RPC is a value or a refusal', () => {
  expect([value(1), refuse('not_found'), DONE]).toEqual([
    { ok: true, value: 1 },
    { ok: false, refusal: 'not_found' },
    { ok: true, value: null },
  ]);
});

it('a step that fails says its code, and the detail for operators', () => {
  expect(failure('demo_404', 'it is gone')).toEqual({ ok: false, code: 'demo_404', detail: 'it is gone' });
});

it('a picture is 16 wide where it is 9 high', () => {
  expect([720, 1080, 1440].map(widthOf)).toEqual([1280, 1920, 2560]);
});
