import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSubmit } from '#protocol/submit.ts';
import { fuzzedSubmit } from '../../conformance/support/arbitraries.ts';
import { DOCUMENT, isBeyondSchema, schemaTakes } from '../../core/protocol/published-schema.ts';

/** test/core/protocol/submit.test.ts compares the schema with the examples of each rule. */
describe('the published schema of a submit', () => {
  it('comes to the verdict of the service on random input, but for what it cannot say', { tags: ['long'] }, () => {
    const bodies = fuzzedSubmit.filter(({ sent }) => sent !== null).map(({ sent }) => sent);
    fc.assert(
      fc.property(bodies, (body) => {
        const parsed = parseSubmit(body);
        const expected = parsed.ok ? [] : parsed.errors.filter(({ message }) => !isBeyondSchema(message));
        // A body that breaks such a rule may be refused before the other rules are checked.
        if (parsed.ok || expected.length > 0) expect(schemaTakes(body)).toBe(parsed.ok);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the pattern of a Steam id', () => {
  const { pattern } = DOCUMENT.components.schemas.SubmitRequest.properties.steam64_id;

  it('ends exactly at 2^64', () => {
    const largest = 2n ** 64n - 1n;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt(1n, 2n ** 67n),
          fc.bigInt(-1000n, 1000n).map((offset) => largest + offset),
        ),
        (id) => new RegExp(pattern).test(String(id)) === id <= largest,
      ),
      { numRuns: 2000 },
    );
  });
});
