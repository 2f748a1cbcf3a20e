import { spawnSync } from 'node:child_process';
import { Command } from 'commander';

/**
 * Runs a test of the workers' suite in several processes one after the other, each with its own seed, and adds up the
 * deaths by point. In one process, the harness allows some thousands of calls of objects.
 */
const program = new Command('test/soak/processes-cli.ts')
  .argument('<file>', 'the test')
  .requiredOption('--processes <number>', 'how many, one after the other', Number)
  .option('--only <name>', 'the tests whose names say this', '')
  .option(
    '--seed <number>',
    'of the first; the next ones follow',
    Number,
    Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31),
  )
  .option('--least <number>', 'deaths that each point of --at must have had in the end', Number, 0)
  .option('--at <point>', 'points that begin like this', '')
  .parse();
const [file = ''] = program.args;
const { processes, only, seed, least, at } = program.opts<{
  processes: number;
  only: string;
  seed: number;
  least: number;
  at: string;
}>();

const deaths = new Map<string, number>();
const failed: number[] = [];
for (let n = 0; n < processes; n++) {
  const env = { ...process.env, MODEL_SEED: String(seed + n), NO_COLOR: '1' };
  const args = [
    'vitest',
    'run',
    '--project',
    'workers',
    '--project',
    'soaks',
    file,
    ...(only === '' ? [] : ['-t', only]),
  ];
  const { status, stdout } = spawnSync('npx', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  process.stdout.write(stdout);
  if (status !== 0) failed.push(seed + n);
  for (const [, point = '', count] of stdout.matchAll(/(\S+:(?:before|after)) (\d+)/g))
    deaths.set(point, (deaths.get(point) ?? 0) + Number(count));
}

const rare = [...deaths].filter(([point, count]) => point.startsWith(at) && count < least);
const sums = [...deaths].map(([point, count]) => `${point} ${count}`).join(', ');
process.stdout.write(
  `${processes} processes, seeds ${seed} to ${seed + processes - 1}; failed: ${failed.join(', ') || 'none'}\n`,
);
if (sums !== '') process.stdout.write(`deaths in all: ${sums}\n`);
if (rare.length > 0) process.stdout.write(`too few at: ${rare.map(([point]) => point).join(', ')}\n`);
process.exit(failed.length > 0 || rare.length > 0 ? 1 : 0);
