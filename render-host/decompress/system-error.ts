/** Whether a system call failed (a full disk, a missing file), as opposed to the data being wrong. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Trouble with the disk that a worker thread reports; only its message crosses. */
export class DiskTrouble extends Error {}
