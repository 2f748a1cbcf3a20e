import type { Command } from 'commander';
import { TickreelError } from '../index.ts';
import { tell } from './output.ts';
import { UsageError } from './settings.ts';

/** Runs a command. Prints an error as a line, and sets the exit status. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  exitOnUsageErrors(program);
  for (const stream of [process.stdout, process.stderr]) stream.off('error', endQuietly).on('error', endQuietly);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    tell(messageOf(error));
    process.exitCode = exitStatus(error);
  }
}

/** Ends the program when the reader of its output closes the pipe, as in `tickreel … | head`. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

/** `--help` is not an error. An unknown command is. */
function exitOnUsageErrors(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const subcommand of command.commands) exitOnUsageErrors(subcommand);
}

/** The exit status shows what kind of error it was. */
function exitStatus(error: unknown): number {
  if (error instanceof UsageError) return 2;
  if (!(error instanceof TickreelError)) return 3;
  return error.isTransient ? 3 : 1;
}

function messageOf(error: unknown): string {
  if (!(error instanceof TickreelError)) return error instanceof Error ? error.message : String(error);
  return error.requestId === null ? error.message : `${error.message}\nRequest ${error.requestId}`;
}
