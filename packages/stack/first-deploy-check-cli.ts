import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { firstDeployCheck } from './setup/first-deploy-check.ts';

const program = new Command('npm run first-deploy-check --')
  .description('Tries at Cloudflare what only an account can tell, under a throw-away name, and removes what it made.')
  .option('--domain <host>', 'an unused host name in a zone of the account: tries custom domains too')
  .option('--remove <name>', 'only remove what an interrupted check left')
  .action(async (options) => {
    if (!(await firstDeployCheck({ ...options, say: (line) => console.log(line) }))) process.exitCode = 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
