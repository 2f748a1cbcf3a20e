import { hostname } from 'node:os';
import { Command } from 'commander';
import { withStoredToken } from './config/stored-token.ts';
import { runDoctor } from './doctor/doctor.ts';
import { register } from './register.ts';
import { runHost } from './run-host.ts';

/** `node render-host/main.ts [run | doctor | register]`, with the environment that docs/render-host.md lists. */
const program = new Command('render-host').description('Renders clips for a Tickreel service.');

program
  .command('run', { isDefault: true })
  .description('claim jobs and render them until SIGTERM or SIGINT (what happens without a command)')
  .action(async () => {
    process.exitCode = await runHost(withStoredToken(process.env));
  });

program
  .command('doctor')
  .description('check this machine and its environment, and say how to mend what is wrong')
  .option('--json', 'print the findings as JSON')
  .action(async ({ json = false }: { json?: boolean }) => {
    const print = (text: string) => void process.stdout.write(text);
    process.exitCode = await runDoctor(withStoredToken(process.env), { json, print });
  });

program
  .command('register')
  .description('make this machine a render host, with TICKREEL_REGISTRATION_TOKEN; once it is one, this does nothing')
  .option('--name <name>', 'what the operator sees it as', hostname())
  .action(async ({ name }: { name: string }) => {
    const { status, text } = await register(process.env, name);
    (status === 0 ? process.stdout : process.stderr).write(`${text}\n`);
    process.exitCode = status;
  });

await program.parseAsync();
