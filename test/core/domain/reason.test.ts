import { expect, test } from 'vitest';
import { reasonOf } from '#domain/reason.ts';

test.each([
  ['an error says', new Error('the disk is full'), 'the disk is full'],
  [
    'its cause says',
    new TypeError('fetch failed', { cause: new Error('certificate has expired') }),
    'certificate has expired',
  ],
  ['its code says', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [
    'the code of its cause says',
    new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) }),
    'ECONNREFUSED',
  ],
  ['its name says, where it says nothing else', new RangeError(''), 'RangeError'],
  ['somebody threw that is no error', 'broken', 'broken'],
])('the reason is what %s', (_, thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
