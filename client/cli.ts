import { Command } from 'commander';
import { TickreelError } from './call.ts';
import { adminCommand } from './cli/admin-commands.ts';
import {
  assetsCommand,
  clipsCommand,
  jobsCommand,
  submitCommand,
  uploadsCommand,
  usageCommand,
} from './cli/api-commands.ts';
import { UsageError } from './cli/context.ts';
import { demosCommand } from './cli/demo-commands.ts';

const program = new Command('tickreel')
  .description('The command line of a Tickreel service, at TICKREEL_URL with TICKREEL_API_KEY.')
  .option('--json', 'print JSON on a terminal too', false)
  .addCommand(submitCommand())
  .addCommand(jobsCommand())
  .addCommand(clipsCommand())
  .addCommand(assetsCommand())
  .addCommand(demosCommand())
  .addCommand(uploadsCommand())
  .addCommand(usageCommand())
  .addCommand(adminCommand())
  .addHelpText('after', '\nExit status: 0 done, 1 refused or failed, 2 called wrongly, 3 service not reached.');

/** Help asked for is no failure; a command that is not understood is. */
function exitOnUsageErrors(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const subcommand of command.commands) exitOnUsageErrors(subcommand);
}

/** Scripts tell by the exit status what kind of failure it was. */
function exitStatus(error: unknown): number {
  if (error instanceof UsageError) return 2;
  return error instanceof TickreelError ? 1 : 3;
}

/** What `fetch` says of a failure lies in its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `The service cannot be reached: ${error.cause.message}` : error.message;
}

exitOnUsageErrors(program);
try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = exitStatus(error);
}
