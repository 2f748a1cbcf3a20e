import { Command } from 'commander';
import { runRollingRestart } from './rolling-restart.ts';

const program = new Command('test/soak/cli.ts rolling')
  .description('Restarts every host of a fleet under load, some at a time, and counts what is stranded.')
  .option('--example-hosts <number>', 'processes of the example host', Number, 18)
  .option('--own-hosts <number>', 'processes of our own host', Number, 2)
  .option('--at-once <number>', 'how many restart at a time', Number, 4)
  .option('--load <number>', 'jobs that are open at each restart', Number, 40)
  .parse();

const say = (line: string) => void process.stdout.write(`${line}\n`);
const begun = Date.now();
const { restarts, jobs, webhooks, violations } = await runRollingRestart({ ...program.opts(), say });
const minutes = ((Date.now() - begun) / 60_000).toFixed(1);
say(`${restarts} hosts restarted in ${minutes} min; ${jobs} jobs acknowledged, ${webhooks} webhooks received`);
for (const [what, whom] of Object.entries(violations)) say(`${what}: ${whom.length} ${whom.slice(0, 5).join(', ')}`);
process.exit(Object.values(violations).some((whom) => whom.length > 0) ? 1 : 0);
