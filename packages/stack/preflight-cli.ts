import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { preflight } from './preflight.ts';
import { PRODUCTION, writeConfig } from './setup/deployment.ts';

const program = new Command('npm run preflight --')
  .description('Checks the configuration of a deployment, and has the service make one clip: here, and there.')
  .option('--env <name>', 'the deployment to check', PRODUCTION)
  .option(
    '--url <address>',
    'a running deployment, by TICKREEL_ADMIN_TOKEN; without it, the stack of this machine alone',
  )
  .option('--deployed', 'check its secrets and migrations too, as the user of wrangler; --url implies it')
  .action(async (options) => {
    const { report, isWell } = await preflight({ ...options, config: writeConfig(options.env).file });
    console.log(report);
    if (!isWell) process.exitCode = 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
