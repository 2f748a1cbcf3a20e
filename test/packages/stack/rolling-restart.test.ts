import { expect, it } from 'vitest';
import { runRollingRestart } from '../../soak/rolling-restart.ts';

/** A short form of `npx node test/soak/cli.ts rolling`. */
it('no job loses an attempt or its outcome, or sends two webhooks, while each host of a fleet restarts under load', {
  timeout: 500_000,
}, async () => {
  const say = () => {};
  const report = await runRollingRestart({ exampleHosts: 1, ownHosts: 1, atOnce: 1, load: 3, say });
  const faults = Object.entries(report.violations).filter(([, whom]) => whom.length > 0);
  expect(faults).toEqual([]);
  expect(report.restarts).toBe(2);
  expect(report.jobs).toBeGreaterThan(3);
  expect(report.arrived).toBe(report.jobs);
});
