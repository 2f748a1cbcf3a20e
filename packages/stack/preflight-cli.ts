import { Command } from 'commander';
import { reasonOf } from '#domain/reason.ts';
import { preflight } from './preflight.ts';
import { FOLDER_OPTION, PRODUCTION, writeConfig } from './setup/deployment.ts';

const program = new Command('npm run preflight --')
  .description(
    'Checks the configuration of a deployment, and makes one clip on this machine, and one there with --url.',
  )
  .option('--env <name>', 'the deployment to check', PRODUCTION)
  .option(...FOLDER_OPTION)
  .option('--url <address>', 'also check a running deployment; needs TICKREEL_ADMIN_TOKEN')
  .option('--deployed', 'also check secrets and migrations, by the login of wrangler; --url implies it')
  .action(async (options) => {
    const { report, isWell } = await preflight({ ...options, config: writeConfig(options.env, options.folder).file });
    console.log(report);
    if (!isWell) process.exitCode = 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`\n  ${reasonOf(error)}\n`);
  process.exit(1);
}
