import * as z from 'zod';
import { JOB_STATUSES } from '../domain/job.ts';

/** What `GET /api/jobs/:id/events` tells whenever a job changes, as the data of one server-sent event. */
export const JobNotice = z.object({
  status: z.enum(JOB_STATUSES),
  /** 0 to 1 of the whole job; null while no host works on it. */
  progress: z.number().nullable(),
  attempt: z.int(),
  error_code: z.string().nullable(),
});
export type JobNotice = z.infer<typeof JobNotice>;
