import * as z from 'zod';

/** The operator's controls: maintenance, and blocked demos. */

const time = (description: string) => z.iso.datetime().meta({ description });
const reason = z.string().trim().min(1).max(300);
const operator = z.string().meta({ description: 'Who did it.' });

export const MaintenanceView = z
  .object({
    reason: z.string().meta({ description: 'Shown to clients.' }),
    since: time('When it began.'),
    until: z.iso.datetime().nullable().meta({ description: 'When it ends by itself; null until somebody ends it.' }),
    operator,
  })
  .meta({ id: 'Maintenance', description: 'No new work is taken.' });
export type MaintenanceView = z.input<typeof MaintenanceView>;

export const MaintenanceRequest = z
  .strictObject({
    reason: reason.meta({ description: 'Shown to clients.' }),
    until: z.iso
      .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
      .nullable()
      .optional()
      .meta({ description: 'When it ends by itself; without it, when somebody ends it.' }),
  })
  .meta({ id: 'MaintenanceRequest', description: 'Why no new work is taken, and until when.' });

export const BlockRequest = z
  .strictObject({
    address: z.string().trim().min(1).max(500).meta({
      description:
        'A domain, with its subdomains; or the URL of a demo, whatever its scheme. A URL without a query covers every query of it.',
    }),
    reason: reason.meta({ description: 'For operators.' }),
  })
  .meta({ id: 'BlockRequest', description: 'Demos that are not to be fetched.' });
export const BlockView = z
  .object({
    block_id: z.uuid().meta({ description: 'For removing it.' }),
    address: z.string().meta({ description: 'The domain, or the URL without its scheme.' }),
    reason: z.string().meta({ description: 'Why.' }),
    created_at: time('Since when.'),
    operator,
  })
  .meta({ id: 'Block', description: 'Demos that are not fetched.' });

export const ControlsView = z
  .object({
    maintenance: MaintenanceView.nullable().meta({ description: 'Null while work is taken.' }),
    blocks: z.array(BlockView).meta({ description: 'Blocked demos, the oldest first.' }),
  })
  .meta({ id: 'Controls', description: 'The controls that are set.' });
