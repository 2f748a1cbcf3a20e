import { Command } from 'commander';
import { runDoctor } from './doctor/doctor.ts';
import { runHost } from './run-host.ts';

/** `node render-host/main.ts [run | doctor]`, with the environment that docs/render-host.md lists. */
const program = new Command('render-host').description('Renders clips for a Tickreel service.');

program
  .command('run', { isDefault: true })
  .description('claim jobs and render them until SIGTERM or SIGINT (what happens without a command)')
  .option('--serve <port>', 'listen for jobs there instead of asking for them (docs/push-hosts.md)')
  .action(async ({ serve }: { serve?: string }) => {
    process.exitCode = await runHost(serve === undefined ? process.env : { ...process.env, TICKREEL_SERVE: serve });
  });

program
  .command('doctor')
  .description('check this machine and its environment, and say how to mend what is wrong')
  .option('--json', 'print the findings as JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    process.exitCode = await runDoctor(process.env, { json, print: (text) => void process.stdout.write(text) });
  });

await program.parseAsync();
