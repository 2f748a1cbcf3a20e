import { expect, it } from 'vitest';
import { runKillCycles } from '../soak/kill-cycles.ts';

/** A short form of `npm run soak:kill`; the seed is one that has each kind of process die. */
it('no job is lost, stuck, done twice or unheard of when the stack and its hosts are killed and nobody polls', async () => {
  const lines: string[] = [];
  const report = await runKillCycles({
    cycles: 5,
    leaseSeconds: 3,
    realLeaseCycles: 0,
    seed: 7,
    maxMinutes: 1,
    settleSeconds: 1,
    say: (line) => lines.push(line),
  });
  const faults = Object.entries(report.violations).filter(([, whom]) => whom.length > 0);
  expect(faults, lines.join('\n')).toEqual([]);
  expect(report.cycles).toBe(5);
  expect(report.jobs).toBeGreaterThanOrEqual(5);
});
