import * as z from 'zod';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { cleanLine } from '#domain/lib/text.ts';
import * as field from '../lib/fields.ts';
import { next_cursor } from '../lib/lists.ts';

/** Operations after a loss of data: docs/operate.md. */

const object = z.string().regex(/^[0-9a-f]{64}$/, 'must be the id of an object: 64 hexadecimal digits');
export const ReindexRequest = z
  .strictObject({
    objects: z
      .array(object)
      .min(1)
      .max(200)
      .describe("Ids of objects of class RenderJob, as the platform's API lists them."),
  })
  .meta({ id: 'ReindexRequest', description: 'Jobs whose rows of the index are written again.' });
export const Reindexed = z
  .object({
    indexed: field.integer('Number of jobs whose row was missing or wrong in the index, and was written.'),
    current: field.integer('Number of jobs whose row was correct.'),
    empty: field.integer('Number of objects without stored data: jobs that were deleted or never existed.'),
    failed: z.array(z.string()).describe('Ids of the objects that did not answer. Send them again.'),
  })
  .meta({ id: 'Reindexed', description: 'The result of a reindex.' });

export const RecoverRequest = z
  .strictObject({
    at: field.sentTime.optional().describe('Time of the state to restore, at most 30 days ago.'),
    bookmark: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('An `undo_bookmark` of an earlier answer, instead of `at`.'),
  })
  .refine(...field.eitherOf('at', 'bookmark'))
  .meta({ id: 'RecoverRequest', description: 'The point in time to restore a job to.' });
export const Recovered = z
  .object({
    job_id: field.uuid('Id of the job.'),
    status: z.enum(JOB_STATUSES).nullable().describe('The restored state of the job. Null if there was no job then.'),
    undo_bookmark: field.text('A bookmark of the state before this call. Send it to undo the recovery.'),
  })
  .meta({ id: 'Recovered', description: 'A job that was restored to an earlier state.' });

export const CheckClips = z
  .strictObject({
    resubmit: z.boolean().default(false).describe('Whether clips without their files are rendered again.'),
    cursor: z
      .string()
      .regex(/^DB(_\d+)?( [0-9a-f-]{36})?$/, 'must be the next_cursor of an earlier answer')
      .optional()
      .describe('The `next_cursor` of the previous answer.'),
  })
  .meta({ id: 'CheckClips', description: 'The clips to check for their files.' });
export const CheckedClips = z
  .object({
    checked: field.integer('Number of clips whose files were checked.'),
    lost: z
      .array(
        z.object({
          clip_id: field.uuid('Id of the clip.'),
          job_id: field.uuid('Id of the job that made the clip.'),
          account_id: field.uuid('Id of the account that owns the clip.'),
          missing: z.array(z.enum(['video', 'thumbnail'])).describe('The files that are missing.'),
        }),
      )
      .describe('Clips that lack a file.'),
    resubmitted: field.integer('Number of these clips that are rendered again.'),
    next_cursor,
  })
  .meta({ id: 'CheckedClips', description: 'The result of a check of clips.' });

export const TakeDown = z
  .strictObject({
    reason: z
      .string()
      .overwrite(cleanLine)
      .min(1)
      .max(500)
      .describe('The reason, for the owner of the clip and the audit log. Viewers do not see it.'),
  })
  .meta({ id: 'TakeDown', description: 'The reason for a take-down.' });
