/** Whether a system call failed (a full disk, a missing file), as opposed to the data being wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Trouble with the disk that a worker thread or a child process reports; only its message crosses. */
export class DiskTrouble extends Error {}

/** Whether this machine is at fault, and not the data: another attempt, or another machine, may do better. */
export function isMachineTrouble(error: unknown): error is Error {
  return error instanceof DiskTrouble || isSystemError(error);
}
