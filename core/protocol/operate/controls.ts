import * as z from 'zod';
import * as field from '../lib/fields.ts';

/** The operator's controls: maintenance, and blocked demos. */

const reason = z.string().trim().min(1).max(300);
const operator = field.text('Name of the operator who did it.');

export const MaintenanceView = z
  .object({
    reason: field.text('The reason that clients read in the answer.'),
    since: field.time('Time when the maintenance began.'),
    until: field.timeOrNull('Time when the maintenance ends by itself. Null if an operator has to end it.'),
    operator,
  })
  .meta({ id: 'Maintenance', description: 'Maintenance is on: no new work is accepted.' });
export type MaintenanceView = z.input<typeof MaintenanceView>;

export const MaintenanceRequest = z
  .strictObject({
    reason: reason.describe('The reason that clients read in the answer.'),
    until: field.sentTime
      .nullable()
      .optional()
      .describe('Time when the maintenance ends by itself. Without it, an operator has to end it.'),
  })
  .meta({ id: 'MaintenanceRequest', description: 'The reason for the maintenance, and its end.' });

export const BlockRequest = z
  .strictObject({
    address: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .describe(
        'A domain, with its subdomains; or the URL of a demo, whatever its scheme. A URL without a query covers every query of it.',
      ),
    reason: reason.describe('The reason, for other operators only.'),
  })
  .meta({ id: 'BlockRequest', description: 'Demos that are not to be fetched.' });
export const BlockView = z
  .object({
    block_id: field.uuid('Id of the block, for removing it.'),
    address: field.text('The domain, or the URL without its scheme.'),
    reason: field.text('The reason that the operator gave.'),
    created_at: field.time('Time when the block began.'),
    operator,
  })
  .meta({ id: 'Block', description: 'Demos that are not fetched.' });

export const ControlsView = z
  .object({
    maintenance: MaintenanceView.nullable().describe('The maintenance in progress. Null while new work is accepted.'),
    blocks: z.array(BlockView).describe('Blocked demos, the oldest first.'),
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
