import * as z from 'zod';

/** The operator's controls: maintenance, and blocked demos. */

const time = (description: string) => z.iso.datetime().meta({ description });
const reason = z.string().trim().min(1).max(300);
const operator = z.string().meta({ description: 'Name of the operator who did it.' });

export const MaintenanceView = z
  .object({
    reason: z.string().meta({ description: 'The reason that clients read in the answer.' }),
    since: time('Time when the maintenance began.'),
    until: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Time when the maintenance ends by itself. Null if an operator has to end it.' }),
    operator,
  })
  .meta({ id: 'Maintenance', description: 'Maintenance is on: no new work is accepted.' });
export type MaintenanceView = z.input<typeof MaintenanceView>;

export const MaintenanceRequest = z
  .strictObject({
    reason: reason.meta({ description: 'The reason that clients read in the answer.' }),
    until: z.iso
      .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
      .nullable()
      .optional()
      .meta({ description: 'Time when the maintenance ends by itself. Without it, an operator has to end it.' }),
  })
  .meta({ id: 'MaintenanceRequest', description: 'The reason for the maintenance, and its end.' });

export const BlockRequest = z
  .strictObject({
    address: z.string().trim().min(1).max(500).meta({
      description:
        'A domain, with its subdomains; or the URL of a demo, whatever its scheme. A URL without a query covers every query of it.',
    }),
    reason: reason.meta({ description: 'The reason, for other operators only.' }),
  })
  .meta({ id: 'BlockRequest', description: 'Demos that are not to be fetched.' });
export const BlockView = z
  .object({
    block_id: z.uuid().meta({ description: 'Id of the block, for removing it.' }),
    address: z.string().meta({ description: 'The domain, or the URL without its scheme.' }),
    reason: z.string().meta({ description: 'The reason that the operator gave.' }),
    created_at: time('Time when the block began.'),
    operator,
  })
  .meta({ id: 'Block', description: 'Demos that are not fetched.' });

export const ControlsView = z
  .object({
    maintenance: MaintenanceView.nullable().meta({
      description: 'The maintenance in progress. Null while new work is accepted.',
    }),
    blocks: z.array(BlockView).meta({ description: 'Blocked demos, the oldest first.' }),
  })
  .meta({ id: 'Controls', description: 'The controls that are set.' });

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
