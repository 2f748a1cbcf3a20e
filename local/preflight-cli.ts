import { Command } from 'commander';
import { reasonOf } from '../domain/reason.ts';
import { preflight } from './preflight.ts';

const program = new Command('npm run preflight --')
  .description('Checks the configuration of a deployment, and has the service make one clip: here, and there.')
  .option('--config <file>', 'configuration to check', 'wrangler.toml')
  .option('--url <address>', 'a running deployment; without it, the stack of this machine alone')
  .option('--admin-token <token>', 'its operator token', process.env.TICKREEL_ADMIN_TOKEN)
  .option('--demo-url <address>', 'where the deployment finds the sample demo: on a domain that it accepts')
  .option('--deployed', 'look at its secrets and migrations too, as whoever wrangler is logged in as; --url does so')
  .action(async (options) => {
    if (options.url && !(options.adminToken && options.demoUrl)) {
      throw new Error('--url needs --admin-token and --demo-url: `npm run write-demo` writes the sample to put there.');
    }
    const { report, isWell } = await preflight(options);
    console.log(report);
    if (!isWell) process.exitCode = 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
