import { expect, it } from 'vitest';
import { DONE, type Result, refuse, value } from '#domain/result.ts';
import { accepted } from '#http/accepted.ts';
import { ProblemError } from '#http/problem.ts';

const noRoom = () => new ProblemError('rate_limited', 'wait');
type Answer = Result<string, 'not_found' | 'job_in_flight' | 'limit_reached'>;

it('an answer is its value, or the problem of its refusal', () => {
  expect(accepted(value('a') as Answer, { limit_reached: noRoom })).toBe('a');
  expect(accepted(DONE as Result<null, 'not_found'>)).toBeNull();
  const refused = (answer: Answer) => () => accepted(answer, { limit_reached: noRoom });
  expect(refused(refuse('limit_reached'))).toThrow(expect.objectContaining({ kind: 'rate_limited', message: 'wait' }));
  expect(refused(refuse('job_in_flight'))).toThrow(expect.objectContaining({ kind: 'job_in_flight' }));
  expect(refused(refuse('not_found'))).toThrow(expect.objectContaining({ kind: 'not_found' }));
});
