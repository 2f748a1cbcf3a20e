import * as z from 'zod';
import { moreOfNotice } from './job-detail.ts';
import { jobFields } from './job-view.ts';

/** The data of an event of `GET /api/jobs/:id/events`, sent at each change of the job. */
export const JobNotice = z
  .object({
    status: jobFields.status,
    progress: z
      .number()
      .nullable()
      .meta({ description: 'Share of the whole job that is done, from 0 to 1. Null while no host works on it.' }),
    attempt: z.int().meta({ description: 'Number of attempts since you last submitted or resubmitted the job.' }),
    error_code: jobFields.error_code,
    ...moreOfNotice,
  })
  .meta({ id: 'JobNotice', description: 'A change of a job that you follow.' });
export type JobNotice = z.infer<typeof JobNotice>;
