import * as z from 'zod';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { isUuid } from '#domain/lib/ids.ts';
import { isWindow, NO_WINDOW, next_cursor, page } from '#protocol/lib/lists.ts';
import { jobFields } from './job-view.ts';

/** A position in the order of changes of an account's jobs: a time, and the job that changed then. */
export interface ChangePlace {
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly id: string;
}

/** Formats a position as the id of an event of `GET /api/events`. Clients must not parse it. */
export function changeIdOf({ changedAt, id }: ChangePlace): string {
  return `${changedAt}_${id}`;
}

export function parseChangeId(text: string): ChangePlace | null {
  const [, time = '', id = ''] = /^(\d{1,15})_(.{36})$/.exec(text) ?? [];
  return isUuid(id) ? { changedAt: Number(time), id } : null;
}

const mode = z
  .enum(['round', 'timeline'], 'must be round or timeline')
  .describe('The way in which the moments of the clip were chosen.');

export const JobListQuery = z
  .strictObject({
    ...page,
    status: z
      .enum(JOB_STATUSES, `must be one of ${JOB_STATUSES.join(', ')}`)
      .optional()
      .describe('Return only jobs in this state.'),
    mode: mode.optional().describe('Return only jobs of this mode.'),
  })
  .refine(isWindow, NO_WINDOW);

export type JobListQuery = z.output<typeof JobListQuery>;

/** A job in a list: without its payload. */
export const JobSummary = z
  .object({ ...jobFields, mode })
  .meta({ id: 'JobSummary', description: 'A job without its payload.' });

export type JobSummary = z.infer<typeof JobSummary>;

export const JobList = z
  .object({ jobs: z.array(JobSummary), next_cursor })
  .meta({ id: 'JobList', description: 'A page of jobs, newest first.' });
