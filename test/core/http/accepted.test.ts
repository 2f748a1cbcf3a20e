import { expect, it } from 'vitest';
import { DONE, type Result, refuse, value } from '#domain/result.ts';
import { accepted } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';

const inFlight = () => new ProblemError('job_in_flight', 'wait');
type Answer = Result<string, 'not_found' | 'job_in_flight'>;

it('an answer is its value, or the problem of its refusal', () => {
  expect(accepted(value('a') as Answer, { job_in_flight: inFlight })).toBe('a');
  expect(accepted(DONE as Result<null, 'not_found'>)).toBeNull();
  const refused = (answer: Answer) => () => accepted(answer, { job_in_flight: inFlight });
  expect(refused(refuse('job_in_flight'))).toThrow(expect.objectContaining({ kind: 'job_in_flight', message: 'wait' }));
  expect(refused(refuse('not_found'))).toThrow(expect.objectContaining({ kind: 'not_found' }));
});
