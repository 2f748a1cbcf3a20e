import { expect, it } from 'vitest';
import { runFlood } from '../../soak/flood.ts';

/** The short form of `npm run soak:flood`, with limits that it reaches. It measures nothing. */
it('an account that floods is refused beyond its limits, and another account is not affected', async () => {
  const calls = 60;
  const { counts, wronged, overtakenBy } = await runFlood({
    turns: 1,
    quietRounds: 1,
    floodedRounds: 8,
    pauseMs: 0,
    hostPauseMs: 0,
    connections: 4,
    perSecond: Number.POSITIVE_INFINITY,
    mostCalls: calls,
    variables: { LIMIT_SUBMITS: '20', LIMIT_UPLOADS: '10', LIMIT_FOLLOWS: '20', LIMIT_ASSETS: '5' },
    say: () => {},
  });
  expect(wronged).toEqual([]);
  // Two hosts and alternating accounts: their claims, and one job of the other account between.
  expect(overtakenBy).toHaveLength(9);
  expect(Math.max(...overtakenBy)).toBeLessThanOrEqual(4);

  const statuses = (kind: string) => Object.keys(counts).filter((outcome) => outcome.startsWith(`${kind} `));
  for (const kind of ['submit', 'resend', 'watch', 'upload']) {
    const answered = statuses(kind).reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);
    expect([kind, answered]).toEqual([kind, calls]);
    expect(statuses(kind).filter((outcome) => !/ (200|201|404|409|429)$/.test(outcome))).toEqual([]);
  }
  for (const kind of ['submit', 'watch', 'upload']) expect(counts[`${kind} 429`]).toBeGreaterThan(0);
  expect(counts['upload 201']).toBeLessThanOrEqual(5);
});
