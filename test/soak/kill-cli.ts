import { Command, InvalidArgumentError, Option } from 'commander';
import { type KillReport, runKillCycles } from './kill-cycles.ts';

const number = (least: number) => (text: string) => {
  const value = Number(text);
  if (!(value >= least)) throw new InvalidArgumentError(`It must be a number of at least ${least}.`);
  return value;
};

const option = (flags: string, text: string, preset: number, least = 0) =>
  new Option(flags, text).default(preset).argParser(number(least));

const program = new Command('test/soak/cli.ts kill')
  .description(
    'Kills the stack and its hosts in every phase, under load, with nobody polling, and counts what is lost.',
  )
  .addOption(option('--cycles <number>', 'how many times something dies', 200, 1))
  // Long enough that an object without calls is evicted before its alarm.
  .addOption(option('--lease-s <seconds>', 'the lease of most cycles', 20, 2))
  .addOption(option('--real-lease-cycles <number>', 'how many of them, the last ones, run at the real lease', 0))
  .addOption(option('--seed <number>', 'repeats what died in an earlier run', Math.floor(Math.random() * 2 ** 31)))
  .addOption(option('--load <number>', 'jobs that a cycle submits at most', 3, 1))
  .addOption(option('--max-minutes <number>', 'stop after so long, and judge', 90, 1))
  .addOption(option('--rest-s <seconds>', 'leave the service alone at the end, so that its cron runs', 65))
  .parse();

const options = program.opts();
const say = (line: string) => void process.stdout.write(`${line}\n`);
say(`seed ${options.seed}`);
const begun = Date.now();
const report = await runKillCycles({
  cycles: options.cycles,
  leaseSeconds: options.leaseS,
  realLeaseCycles: options.realLeaseCycles,
  seed: options.seed,
  load: options.load,
  slackSeconds: 10,
  maxMinutes: options.maxMinutes,
  restSeconds: options.restS,
  say,
});
say(table(report));
process.exit(Object.values(report.violations).some((whom) => whom.length > 0) ? 1 : 0);

function table({ cycles, deaths, jobs, done, webhooks, longestIdle, violations }: KillReport): string {
  const minutes = ((Date.now() - begun) / 60_000).toFixed(1);
  const rows: [string, string | number][] = [
    ...Object.entries(deaths),
    ['cycles', `${cycles} in ${minutes} min`],
    ['jobs acknowledged', jobs],
    ['of them done', done],
    ['webhooks received', webhooks],
    ['idle longest, short lease', `${longestIdle.short.toFixed(1)} s`],
    ['idle longest, real lease', `${longestIdle.real.toFixed(1)} s`],
    ...Object.entries(violations).map(([what, whom]): [string, string] => [
      `VIOLATIONS: ${what}`,
      `${whom.length}${whom.length > 0 ? ` (${whom.slice(0, 5).join(', ')})` : ''}`,
    ]),
  ];
  return ['', ...rows.map(([name, value]) => `| ${name.padEnd(58)} | ${value} |`), ''].join('\n');
}
