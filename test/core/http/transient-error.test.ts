import { describe, expect, it } from 'vitest';
import { LATER_VERSION } from '#domain/later-version.ts';
import { isTransient, TransientError } from '#http/transient-error.ts';

const withProperty = (name: string, value: unknown) => Object.assign(new Error('no word of it'), { [name]: value });

describe('what may go better in a moment', () => {
  it.each([
    new TransientError('storage failed'),
    withProperty('retryable', true),
    withProperty('overloaded', true),
    withProperty('durableObjectReset', true),
    new Error(`the job was ${LATER_VERSION} (9)`),
    new Error('head: We encountered an internal error. Please try again. (10001)'),
    new Error('put: Service is temporarily unavailable. (10043)'),
    new Error('put: Client disconnected before request completed. (10054)'),
    new Error('put: Rate limit exceeded. (10058)'),
    new Error('D1_ERROR: D1 DB reset because its code was updated.'),
    new Error('D1_ERROR: D1 DB is overloaded. Too many requests queued.'),
    new Error('D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.'),
    new Error('D1_ERROR: Network connection lost.'),
    new Error("D1_ERROR: Can't read from request stream because client disconnected."),
    new Error('D1_ERROR: database or disk is full: SQLITE_FULL'),
    new Error('internal error; reference = 6af8tfev2tr25850d2696q5r'),
    new Error('Durable Object reset because its code was updated.'),
    new Error('Connection closed: this Durable Object instance is no longer active. Reconnect or retry the request.'),
    new Error('Failed query: select 1', { cause: new Error('D1_ERROR: Network connection lost.') }),
  ])('$message', (error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    new Error('a fault of our own'),
    withProperty('retryable', false),
    withProperty('durableObjectReset', 'true'),
    new Error('put: The specified object name is not valid. (10020)'),
    new Error('(10001) is not at the end'),
    new Error('D1_ERROR: no such table: jobs: SQLITE_ERROR'),
    new Error('Failed query: select 1', { cause: new Error('D1_ERROR: UNIQUE constraint failed') }),
    'Network connection lost.',
    null,
  ])('is not $message', (error) => {
    expect(isTransient(error)).toBe(false);
  });
});
