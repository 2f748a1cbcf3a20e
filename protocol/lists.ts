import * as z from 'zod';
import { JOB_STATUSES } from '../domain/job.ts';

/** `GET /api/jobs`, `GET /api/clips` and `GET /api/usage`: what may be asked, and what comes back. */

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const wholeNumber = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number')
  .transform(Number);
const time = z.iso
  .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
  .transform((text) => Date.parse(text));
const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** Where a page ended: the creation time in milliseconds and the id of its last row. Opaque to clients. */
const Cursor = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f-]{36}$/, 'must be the next_cursor of an earlier page')
  .transform((text) => {
    const [createdAt = '', id = ''] = text.split('_');
    return { createdAt: Number(createdAt), id };
  });
export type Cursor = z.output<typeof Cursor>;

/** What every list can be asked for: a window of creation times, and a page of it. */
export const page = {
  created_from: time.optional(),
  created_to: time.optional(),
  limit: wholeNumber
    .pipe(z.int().min(1, 'must be at least 1').max(MAX_LIMIT, `must be at most ${MAX_LIMIT}`))
    .default(DEFAULT_LIMIT),
  cursor: Cursor.optional(),
};

export const JobListQuery = z.strictObject({
  ...page,
  status: z.enum(JOB_STATUSES, `must be one of ${JOB_STATUSES.join(', ')}`).optional(),
  mode: z.enum(['round', 'timeline'], 'must be round or timeline').optional(),
});
export type JobListQuery = z.output<typeof JobListQuery>;

export const ClipListQuery = z.strictObject({
  ...page,
  state: z.enum(['ready', 'deleted'], 'must be ready or deleted').optional(),
  saved: yesOrNo.optional(),
});
export type ClipListQuery = z.output<typeof ClipListQuery>;

/** `from` is included, `to` is not. */
export const UsageQuery = z.strictObject({ from: time.optional(), to: time.optional() });

/** What a list says of a job: all of it but its payload. */
export const JobSummary = z.object({
  id: z.uuid(),
  status: z.enum(JOB_STATUSES),
  mode: z.enum(['round', 'timeline']),
  priority: z.boolean(),
  fps: z.int().nullable(),
  resolution: z.int(),
  clip_id: z.uuid().nullable(),
  error_code: z.string().nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
});

/** Seconds of clip rendered with one tier, resolution and frame rate. */
export const UsageLine = z.object({
  tier: z.enum(['metered', 'reserved']),
  resolution: z.int(),
  fps: z.int(),
  rendered_seconds: z.number(),
});

/** The cursor that continues after a row. */
export function formatCursor({ createdAt, id }: Cursor): string {
  return `${createdAt}_${id}`;
}
