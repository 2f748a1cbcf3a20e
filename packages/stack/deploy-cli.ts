import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { deploy } from './setup/deploy.ts';
import { PRODUCTION } from './setup/deployment.ts';

const program = new Command('npm run deploy --')
  .description('Updates a deployment: its database and buckets, its migrations, then the Worker.')
  .option('--env <name>', 'which deployment', PRODUCTION)
  .option('--dry-run', 'look at what is there and say what would be done', false)
  .option('--adopt', 'use a database, buckets and a Worker of these names that are there already', false)
  .option('--take-over', "replace another Worker's domain, or DNS records, at the address", false)
  .action(async ({ env, dryRun, adopt, takeOver }) => {
    await deploy({ env, isDry: dryRun, adopt, takeOver, say: (line) => console.log(line), isShown: true });
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
