import * as z from 'zod';

/** The multiple of `DISK_RESERVE_MIB` below which monitors and alerts warn, and which backups leave free. */
export const EARLY = 2;

/** The disk and the backups of a stack. */
export const DiskState = z.object({
  freeBytes: z.number(),
  /** Null for a stack without regular backups. */
  backups: z
    .object({
      /** When the stack began to make them, in milliseconds since the epoch. */
      startedAt: z.number(),
      /** When the newest one was made, in milliseconds since the epoch; 0 for none. */
      doneAt: z.number(),
      /** Why the last one failed; null if it did not fail. */
      error: z.string().nullable(),
    })
    .nullable(),
});
export type DiskState = z.infer<typeof DiskState>;
export type BackupState = NonNullable<DiskState['backups']>;
