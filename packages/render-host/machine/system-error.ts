/** Whether a system call failed (a full disk, a missing file); otherwise the data is wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/**
 * An error of this machine that a thread, a child process or another program reports. Only its message is transferred.
 */
export class MachineError extends Error {}

/** Node's error codes without memory or threads. */
const SHORTAGES: ReadonlySet<unknown> = new Set([
  'ERR_MEMORY_ALLOCATION_FAILED',
  'ERR_WORKER_INIT_FAILED',
  'ERR_WORKER_OUT_OF_MEMORY',
  'Z_MEM_ERROR',
]);

/** Whether this machine is at fault, not the data: another attempt or another machine may succeed. */
export function isMachineError(error: unknown): error is Error {
  if (error instanceof MachineError || isSystemError(error)) return true;
  return error instanceof Error && 'code' in error && SHORTAGES.has(error.code);
}

const MESSAGES = [
  ...[
    'no space left on device',
    'disk quota exceeded',
    'file too large',
    'read-only file system',
    'input/output error',
  ],
  ...['i/o error', 'no such file or directory', 'stale (nfs )?file handle', 'too many open files'],
  ...['cannot allocate memory', 'not enough memory', 'resource temporarily unavailable'],
  // A program that ended because it was asked to.
  'received signal',
];
const PROGRAM_MESSAGES = new RegExp(MESSAGES.join('|'), 'i');

/**
 * Whether the message of a failed program says that the machine is at fault, in the words of the C library or of Node.
 */
export function reportsMachineError(complaint: string): boolean {
  return PROGRAM_MESSAGES.test(complaint);
}
