import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { assetsCommand, clipsCommand, jobsCommand } from './api-commands.ts';
import { completeCommand, completionCommand } from './completion-command.ts';
import { demosCommand, uploadsCommand } from './demo-commands.ts';
import { listenCommand } from './listen-command.ts';
import { loginCommand } from './login-command.ts';
import { addAccountCommands } from './operation-commands.ts';
import { rulesCommand } from './rule-commands.ts';
import { addSettings } from './settings.ts';
import { submitBatchCommand, submitCommand } from './submit-command.ts';
import { tested, webhooksCommand } from './webhook-commands.ts';

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
