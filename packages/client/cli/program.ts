import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import { createTickreel } from '../index.ts';
import manifest from '../package.json' with { type: 'json' };
import { assetsCommand, clipsCommand, jobsCommand, listenCommand, tested, webhooksCommand } from './api-commands.ts';
import { completeCommand, completionCommand } from './completion-command.ts';
import { demosCommand, uploadsCommand } from './demo-commands.ts';
import { addAccountCommands } from './operation-commands.ts';
import { tell } from './output.ts';
import { rulesCommand } from './rule-commands.ts';
import { addSettings, storeSettings, UsageError } from './settings.ts';
import { submitBatchCommand, submitCommand } from './submit-command.ts';

/** `tickreel login`: stores an address and a key after the service has accepted them. */
function loginCommand(): Command {
  return new Command('login')
    .description('store the address and your key for later calls, in a file that only you can read')
    .addHelpText(
      'after',
      '\nWhat is not given as an option is asked for; where nobody can be asked, it is read from standard input.',
    )
    .action(async (_, command: Command) => {
      const { url: givenUrl, apiKey: givenKey } = command.optsWithGlobals();
      const input = readInput();
      const url = givenUrl || process.env.TICKREEL_URL || (await input.ask('Address of the service: ', false));
      const api_key = givenKey || (await input.ask('API key: ', true));
      input.close();
      if (!url || !api_key) throw new UsageError('An address and a key are needed.');
      await createTickreel({ baseUrl: url, apiKey: api_key }).call('listJobs', { query: { limit: 1 } });
      const path = storeSettings(command, { url, api_key });
      tell(`Stored in ${path}.`);
    });
}

/** Reads lines of standard input. On a terminal, asks for each, and hides secrets. */
function readInput() {
  const { isTTY } = process.stdin;
  let isSecret = false;
  const echo = new Writable({
    write(chunk, _, done) {
      if (isTTY && !isSecret) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output: echo, terminal: isTTY });
  const each = lines[Symbol.asyncIterator]();
  return {
    async ask(question: string, secret: boolean): Promise<string> {
      if (isTTY) process.stderr.write(question);
      isSecret = secret;
      const { value = '' } = await each.next();
      if (isTTY && secret) process.stderr.write('\n');
      return String(value).trim();
    },
    close: () => lines.close(),
  };
}

/** Creates the command line of the package. */
export function createProgram(): Command {
  const program = new Command('tickreel')
    .description('The command line of a Tickreel service.')
    .version(manifest.version, '-V, --version', 'print the version')
    .option('--json', 'print JSON on a terminal too');
  addSettings(program)
    .addCommand(submitCommand())
    .addCommand(submitBatchCommand())
    .addCommand(jobsCommand())
    .addCommand(clipsCommand())
    .addCommand(demosCommand())
    .addCommand(uploadsCommand())
    .addCommand(rulesCommand())
    .addCommand(assetsCommand())
    .addCommand(webhooksCommand());
  program.command('viewing').description('how your clips are shown');
  program.command('keys').description('what your clients show; a key is shown once');
  return addAccountCommands(program, { testWebhook: { run: tested } })
    .addCommand(listenCommand())
    .addCommand(loginCommand())
    .addCommand(completionCommand())
    .addCommand(completeCommand(), { hidden: true })
    .addHelpText(
      'after',
      '\nExit status: 0 done, 1 refused or failed, 2 called wrongly, 3 service not reached or failing.',
    );
}
