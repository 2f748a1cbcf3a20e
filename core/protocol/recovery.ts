import * as z from 'zod';
import { cleanLine } from '#domain/clean-text.ts';
import { JOB_STATUSES } from '#domain/job.ts';
import { next_cursor } from './lists.ts';

/** Operations after a loss of data: docs/operate.md. */

const object = z.string().regex(/^[0-9a-f]{64}$/, 'must be the id of an object: 64 hexadecimal digits');
export const ReindexRequest = z
  .strictObject({
    objects: z
      .array(object)
      .min(1)
      .max(200)
      .meta({ description: "Ids of objects of class RenderJob, as the platform's API lists them." }),
  })
  .meta({ id: 'ReindexRequest', description: 'Jobs that are to write their rows of the index.' });
const count = (description: string) => z.int().meta({ description });
export const Reindexed = z
  .object({
    indexed: count('Of these the index had no row, or another than the job: now it has.'),
    current: count('These were as they should be.'),
    empty: count('These have nothing stored: a job that was forgotten, or never was.'),
    failed: z.array(z.string()).meta({ description: 'These could not be asked; ask again.' }),
  })
  .meta({ id: 'Reindexed', description: 'What became of it.' });

export const RecoverRequest = z
  .strictObject({
    at: z.iso
      .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
      .optional()
      .meta({ description: 'The time to go back to: 30 days ago at most.' }),
    bookmark: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Or the `undo_bookmark` of an earlier answer.' }),
  })
  .refine(({ at, bookmark }) => (at === undefined) !== (bookmark === undefined), {
    path: ['at'],
    error: 'must be given, or `bookmark`, but not both',
  })
  .meta({ id: 'RecoverRequest', description: 'Where to take a job back to.' });
export const Recovered = z
  .object({
    job_id: z.uuid().meta({ description: 'The job.' }),
    status: z.enum(JOB_STATUSES).nullable().meta({ description: 'Its state now; null where there was no job then.' }),
    undo_bookmark: z.string().meta({ description: 'Leads back to where it was before this.' }),
  })
  .meta({ id: 'Recovered', description: 'A job that was taken back.' });

export const CheckClips = z
  .strictObject({
    resubmit: z.boolean().default(false).meta({ description: 'Whether clips without their files are rendered again.' }),
    cursor: z
      .string()
      .regex(/^DB(_\d+)?( [0-9a-f-]{36})?$/, 'must be the next_cursor of an earlier answer')
      .optional()
      .meta({ description: 'The `next_cursor` of the answer before.' }),
  })
  .meta({ id: 'CheckClips', description: 'Which clips to look after.' });
export const CheckedClips = z
  .object({
    checked: count('Clips whose files were looked for.'),
    lost: z
      .array(
        z.object({
          clip_id: z.uuid().meta({ description: 'The clip.' }),
          job_id: z.uuid().meta({ description: 'The job that made it.' }),
          account_id: z.uuid().meta({ description: 'Whose it is.' }),
          missing: z.array(z.enum(['video', 'thumbnail'])).meta({ description: 'Which files are not there.' }),
        }),
      )
      .meta({ description: 'Clips that lack a file.' }),
    resubmitted: count('How many of them are rendered again.'),
    next_cursor,
  })
  .meta({ id: 'CheckedClips', description: 'A page of clips that were looked after.' });

export const TakeDown = z
  .strictObject({
    reason: z.string().overwrite(cleanLine).min(1).max(500).meta({
      description: 'Why, for the owner of the clip and the audit log. Viewers do not see it.',
    }),
  })
  .meta({ id: 'TakeDown', description: 'Why a clip is taken down.' });
