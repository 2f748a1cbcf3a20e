import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runFleet } from '#test/model/fleet.ts';

/**
 * A fleet under a virtual clock (test/model/fleet.ts): what it did of its jobs, and how long hosts were idle while work
 * waited that they then did.
 *
 *     npx node tools/bench/fleet.bench.ts [--hosts 10000] [--jobs 1000000] [--load 0.95] [--killed 0.3] [--seed N]
 */
const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000' },
    jobs: { type: 'string', default: '1000000' },
    load: { type: 'string', default: '0.95' },
    killed: { type: 'string', default: '0.3' },
    seed: { type: 'string', default: '20261122' },
  },
});
const begun = performance.now();
const options = {
  hosts: Number(values.hosts),
  jobs: Number(values.jobs),
  load: Number(values.load),
  killed: Number(values.killed),
  seed: Number(values.seed),
};
const report = runFleet(options);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
const rows: [string, string | number][] = [
  ['machine', `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`],
  ['took', `${((performance.now() - begun) / 1000).toFixed(0)} s for ${report.virtualSeconds.toFixed(0)} virtual s`],
  ['hosts, jobs, seed', `${options.hosts}, ${options.jobs}, ${options.seed}`],
  ['done, lost, done twice', `${report.done}, ${report.lost}, ${report.twice}`],
  ['grants that got lost', report.grantsLost],
  ['sent, not taken', `${report.sent}, ${report.notTaken}`],
  ['leases of hosts that died', `${report.leasesOfTheDead}, back within ${(report.longestHeldMs / 1000).toFixed(1)} s`],
  ['rendering', percent(report.rendering)],
  ['idle while work waited', percent(report.wasted)],
  ['load', options.load],
  ['reserved: p99, longest', `${seconds(report.reserved.p99)}, ${seconds(report.reserved.longest)}`],
  ['inversions, suggested twice', `${report.inversions}, ${report.suggestedTwice}`],
  ['calls/s of the dispatcher', report.calls.toFixed(1)],
];
for (const [name, value] of rows) process.stdout.write(`| ${name.padEnd(27)} | ${value} |\n`);
