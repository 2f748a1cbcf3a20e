import { expect, it } from 'vitest';
import { runFleet } from './fleet.ts';

it('a fleet renders every job once, whatever dies, and no host is idle while it could work', {
  timeout: 60_000,
}, () => {
  const report = runFleet({ hosts: 50, jobs: 1000, seed: 20_261_122, load: 0.95, killed: 0.3 });
  expect(report).toMatchObject({ done: 1000, lost: 0, twice: 0, inversions: 0, suggestedTwice: 0 });
  expect(report.notTaken).toBeGreaterThan(5);
  expect(report.leasesOfTheDead).toBeGreaterThan(5);
  expect(report.longestHeldMs).toBeLessThanOrEqual(61_000);
  expect(report.wasted).toBeLessThan(0.01);
});
