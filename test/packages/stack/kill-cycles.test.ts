import { expect, it } from 'vitest';
import { runKillCycles } from '../../soak/kill-cycles.ts';

/** A short form of `npx node test/soak/cli.ts kill`: the stack dies at work. `push.test.ts` kills a host that renders. */
it('no job is lost, stuck, done twice or without a webhook when the stack is killed and no client polls', {
  timeout: 500_000,
}, async () => {
  const lines: string[] = [];
  const report = await runKillCycles({
    cycles: 1,
    // Long enough that a host on a busy machine keeps its lease.
    leaseSeconds: 10,
    realLeaseCycles: 0,
    seed: 74,
    load: 1,
    slackSeconds: 60,
    maxMinutes: 6,
    restSeconds: 0,
    say: (line) => lines.push(line),
  });
  const faults = Object.entries(report.violations).filter(([, whom]) => whom.length > 0);
  expect(faults, lines.join('\n')).toEqual([]);
  expect(report).toMatchObject({ cycles: 1, jobs: 1, deaths: { 'stack SIGKILL': 1 } });
});
