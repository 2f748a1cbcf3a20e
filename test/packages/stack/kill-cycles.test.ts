import { expect, it } from 'vitest';
import { runKillCycles } from '../../soak/kill-cycles.ts';

/** A short form of `npm run soak:kill`: the stack dies, at work and while it starts, a host dies and one leaves. */
it('no job is lost, stuck, done twice or unheard of when the stack and its hosts are killed and nobody polls', {
  timeout: 500_000,
}, async () => {
  const lines: string[] = [];
  const report = await runKillCycles({
    cycles: 4,
    leaseSeconds: 3,
    realLeaseCycles: 0,
    seed: 4080,
    load: 1,
    slackSeconds: 60,
    maxMinutes: 6,
    restSeconds: 1,
    say: (line) => lines.push(line),
  });
  const faults = Object.entries(report.violations).filter(([, whom]) => whom.length > 0);
  expect(faults, lines.join('\n')).toEqual([]);
  expect(report.cycles).toBe(4);
  expect(report.jobs).toBeGreaterThanOrEqual(4);
});
