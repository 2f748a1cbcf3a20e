import * as z from 'zod';
import { moreOfNotice } from './job-detail.ts';
import { jobFields } from './job-view.ts';

/** The data of an event of `GET /api/jobs/:id/events`, sent at each change of the job. */
export const JobNotice = z
  .object({
    status: jobFields.status,
    progress: z.number().nullable().meta({ description: '0 to 1 of the whole job; null while no host works on it.' }),
    attempt: z.int().meta({ description: 'Attempts begun since the job was last queued by you.' }),
    error_code: jobFields.error_code,
    ...moreOfNotice,
  })
  .meta({ id: 'JobNotice', description: 'A change of a job, for those who follow it.' });
export type JobNotice = z.infer<typeof JobNotice>;
