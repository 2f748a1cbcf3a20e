import type { ChildProcess } from 'node:child_process';
import { reportsMachineError } from './system-error.ts';

/** Why a program failed. */
export interface ProgramFailure {
  /** A text with the end of its standard error. */
  readonly detail: string;
  /** Whether the machine is at fault: the program did not start, was killed from outside, or reported it. */
  readonly isMachineError: boolean;
}

/** Signals of a crash. Each other signal comes from outside. */
const CRASHES: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP']);

export function isCrash(signal: NodeJS.Signals | null): boolean {
  return signal !== null && CRASHES.has(signal);
}

/** How many characters of standard error are kept. */
const STDERR_TAIL = 2000;

/**
 * Resolves with null when a program ends well, else with why it failed. Never rejects. `name` is its name in the text.
 */
export function programEnd(child: ChildProcess, name: string): Promise<ProgramFailure | null> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      resolve({ detail: `the ${name} did not start: ${error.message}`, isMachineError: true });
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) return resolve(null);
      const end = code === null ? `was ended by ${killedBy}` : `ended with code ${code}`;
      const output = stderr === '' ? '' : `: ${stderr.trim()}`;
      const isMachineError = killedBy !== null || reportsMachineError(stderr);
      resolve({ detail: `the ${name} ${end}${output}`, isMachineError });
    });
  });
}
