import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../machine/child-environment.ts';

/** What a machine lacks to run the game, with its remedy. */
export interface MachineFault {
  readonly check: string;
  readonly detail: string;
  readonly remedy: string;
  /** The game may run without it. */
  readonly isDoubt?: true;
}

export function fault(detail: string, remedy: string): Omit<MachineFault, 'check'> {
  return { detail, remedy };
}

const run = promisify(execFile);
const PATIENCE_MS = 10_000;

/** Returns the output of a program; null if it does not start, fails or takes too long. */
export async function output(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  try {
    const options = { env: childEnvironment(environment), timeout: PATIENCE_MS, killSignal: 'SIGKILL' as const };
    return (await run(program, [...args], { ...options, windowsHide: true })).stdout;
  } catch {
    return null;
  }
}
