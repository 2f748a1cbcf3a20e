import { cpus, totalmem } from 'node:os';
import { Command } from 'commander';
import type { Timings } from './bystander.ts';
import { runFlood } from './flood.ts';

/** Limits of a tenth of the defaults or less, which fit one process on a small machine. */
const SMALL = 'LIMIT_REQUESTS=1200,LIMIT_SUBMITS=240,LIMIT_UPLOADS=30,LIMIT_FOLLOWS=120,LIMIT_JOBS=2000';

const program = new Command('npm run soak:flood --')
  .description('One account floods a stack while another one works: how much longer that one waits, and what it takes.')
  .option('--turns <number>', 'how often it is quiet and then floods', Number, 3)
  .option('--quiet-rounds <number>', 'rounds of the other account while it is quiet', Number, 60)
  .option('--flooded-rounds <number>', 'its rounds while it floods', Number, 110)
  .option('--pause-ms <number>', 'its pause between two rounds: shorter ones take it to its own limits', Number, 300)
  .option('--host-ms <number>', 'how long a host works on a job', Number, 200)
  .option('--connections <number>', 'calls of each kind that the flood makes at a time', Number, 4)
  .option('--per-second <number>', 'calls of each kind that it makes in a second', Number, 25)
  .option('--limits <variables>', 'of the Worker, as NAME=value,NAME=value', SMALL)
  .parse();
const options = program.opts<
  Record<'turns' | 'quietRounds' | 'floodedRounds' | 'pauseMs' | 'hostMs' | 'connections' | 'perSecond', number> & {
    limits: string;
  }
>();

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const GOAL = 2;
/** The most that the isolate's heap may grow from the first turn, which fills the caches, to the last: a factor. */
const FLAT = 1.25;

const [cpu] = cpus();
const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
say(`${new Date().toISOString().slice(0, 10)}, ${machine}, Node ${process.version}`);
const report = await runFlood({
  ...options,
  hostPauseMs: options.hostMs,
  mostCalls: Number.POSITIVE_INFINITY,
  variables: Object.fromEntries(options.limits.split(',').map((pair) => pair.split('='))),
  say,
});

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const at = (share: number, values: readonly number[]) => sorted(values)[Math.floor(values.length * share)] ?? 0;
/** Excludes calls that wait for a host. */
const answers = ({ follow, ...others }: Timings) => Object.values(others).flat();

say(`| ${'ms'.padEnd(10)} | quiet p50 |       p95 | flooded p50 |       p95 | p95 flooded / quiet |`);
function row(kind: string, quiet: readonly number[], flooded: readonly number[]): number {
  const ratio = at(0.95, flooded) / at(0.95, quiet);
  const cells = [at(0.5, quiet), at(0.95, quiet), at(0.5, flooded), at(0.95, flooded), ratio];
  say(`| ${kind.padEnd(10)} | ${cells.map((value) => value.toFixed(1).padStart(9)).join(' | ')} |`);
  return ratio;
}
for (const kind of Object.keys(report.quiet)) row(kind, report.quiet[kind] ?? [], report.flooded[kind] ?? []);
const ratio = row('answers', answers(report.quiet), answers(report.flooded));

say(
  `the flood: ${Object.entries(report.counts)
    .sort()
    .map(([what, n]) => `${what}: ${n}`)
    .join(', ')}`,
);
const third = Math.floor(report.memory.length / 3);
const middle = at(0.5, report.memory.slice(third, 2 * third));
const end = at(0.5, report.memory.slice(2 * third));
const most = Math.max(...report.memory);
say(
  `memory of the runtime: ${middle.toFixed(0)} MiB in the middle, ${end.toFixed(0)} at the end, ${most.toFixed(0)} at most`,
);
say(`jobs given to others before one of the other account: ${Math.max(...report.overtakenBy)} at most`);
say(`the other account: ${report.wronged.length} answers that it should not have had`);
for (const each of report.wronged.slice(0, 10)) say(`  ${each}`);
const [first = 0] = report.heap;
const growth = (report.heap.at(-1) ?? 0) / first;
say(`heap of the isolate after each turn: ${report.heap.map((mib) => mib.toFixed(1)).join(', ')} MiB`);
process.exit(ratio <= GOAL && growth <= FLAT && report.wronged.length === 0 ? 0 : 1);
