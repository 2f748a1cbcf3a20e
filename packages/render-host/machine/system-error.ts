/** Whether a system call failed (a full disk, a missing file), as opposed to the data being wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Trouble of this machine that a thread, a child process or another program reports; only its message crosses. */
export class MachineTrouble extends Error {}

/** What Node says when it gets no memory or no thread. */
const SHORTAGES: ReadonlySet<unknown> = new Set([
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
  'Z_MEM_ERROR',
]);

/** Whether this machine is at fault, and not the data: another attempt, or another machine, may do better. */
export function isMachineTrouble(error: unknown): error is Error {
  if (error instanceof MachineTrouble || isSystemError(error)) return true;
  return error instanceof Error && 'code' in error && SHORTAGES.has(error.code);
}

const WORDS = [
  ...[
    'no space left on device',
    'disk quota exceeded',
    'file too large',
    'read-only file system',
    'input/output error',
  ],
  ...['i/o error', 'no such file or directory', 'stale (nfs )?file handle', 'too many open files'],
  ...['cannot allocate memory', 'not enough memory', 'resource temporarily unavailable'],
  // A program that was asked to end, and says so instead of ending by the signal.
  'received signal',
];
const SAID_BY_PROGRAMS = new RegExp(WORDS.join('|'), 'i');

/** Whether a program that failed said, in the C library's words or in Node's, that the machine is at fault. */
export function tellsMachineTrouble(complaint: string): boolean {
  return SAID_BY_PROGRAMS.test(complaint);
}
