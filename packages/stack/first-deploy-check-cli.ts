import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { firstDeployCheck } from './setup/first-deploy-check.ts';

const program = new Command('npm run first-deploy-check --')
  .description('Tests at Cloudflare what needs a real account, under a temporary name, and removes what it created.')
  .option('--domain <host>', 'also test custom domains, with an unused host name in a zone of the account')
  .option('--remove <name>', 'only remove what an interrupted check of this name left')
  .action(async (options) => {
    if (!(await firstDeployCheck({ ...options, say: (line) => console.log(line) }))) process.exitCode = 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
