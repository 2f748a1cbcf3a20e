import * as z from 'zod';
import { TIERS } from '#domain/clip/clip.ts';
import { JOB_STATUSES } from '#domain/job/job.ts';
import { ClipDetail, clipInclude, madeWith } from '../clip/clip-view.ts';
import { jobFields } from '../job/job-view.ts';
import { includeOf } from './include.ts';

/** Queries and responses of `GET /api/jobs`, `GET /api/clips` and `GET /api/usage`. */

const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 200;

export const wholeNumber = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number')
  .transform(Number);
const time = z.iso
  .datetime({ offset: true, error: 'must be a time as in 2026-01-31T12:00:00Z' })
  .transform((text) => Date.parse(text));
export const yesOrNo = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** The end of a page: the creation time in milliseconds and the id of its last row. Opaque to clients. */
const ListCursor = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f-]{36}$/, 'must be the next_cursor of an earlier page')
  .transform((text) => {
    const [createdAt = '', id = ''] = text.split('_');
    return { createdAt: Number(createdAt), id };
  });
export type ListCursor = z.output<typeof ListCursor>;

/** Whether a span of time ends after it begins. Any other is a mistake of the client. */
export function isWindow({ created_from: from, created_to: to }: Window): boolean {
  return from === undefined || to === undefined || from <= to;
}
interface Window {
  readonly created_from?: number | undefined;
  readonly created_to?: number | undefined;
}
export const NO_WINDOW = { path: ['created_from'], error: 'must not be after created_to' };

/** Returns the size of a page. */
export function limitOf(preset: number): z.ZodType<number, string | undefined> {
  return wholeNumber
    .pipe(z.int().min(1, 'must be at least 1').max(MAX_LIMIT, `must be at most ${MAX_LIMIT}`))
    .default(preset)
    .meta({
      description: 'Maximum number of items to return.',
      // For the API document: the query is text, but means a number.
      override: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: preset },
    });
}

/** The query of every list: a window of creation times, and a page of it. */
export const page = {
  created_from: time.optional().meta({ description: 'Return only items created at this time or later.' }),
  created_to: time.optional().meta({ description: 'Return only items created before this time.' }),
  limit: limitOf(DEFAULT_LIMIT),
  cursor: ListCursor.optional().meta({ description: 'The `next_cursor` of the previous page.' }),
};

/** Null on the last page. */
export const next_cursor = z
  .string()
  .nullable()
  .meta({ description: 'Value of `cursor` for the next page. Null on the last page.' });

const mode = z
  .enum(['round', 'timeline'], 'must be round or timeline')
  .meta({ description: 'The way in which the moments of the clip were chosen.' });

export const JobListQuery = z
  .strictObject({
    ...page,
    status: z
      .enum(JOB_STATUSES, `must be one of ${JOB_STATUSES.join(', ')}`)
      .optional()
      .meta({ description: 'Return only jobs in this state.' }),
    mode: mode.optional().meta({ description: 'Return only jobs of this mode.' }),
  })
  .refine(isWindow, NO_WINDOW);
export type JobListQuery = z.output<typeof JobListQuery>;

export const ClipListQuery = z
  .strictObject({
    ...page,
    state: z
      .enum(['ready', 'deleted'], 'must be ready or deleted')
      .optional()
      .meta({ description: 'Return only clips in this state.' }),
    include: clipInclude,
    saved: yesOrNo
      .optional()
      .meta({ description: 'Return only clips that are kept for good (`true`), or only others (`false`).' }),
  })
  .refine(isWindow, NO_WINDOW);
export type ClipListQuery = z.output<typeof ClipListQuery>;

/** Days count as a whole, including those of `from` and `to`. */
export const UsageQuery = z
  .strictObject({
    from: time
      .optional()
      .meta({ description: 'Count from the beginning of that day (UTC); without it, from the first.' }),
    to: time.optional().meta({
      description:
        'Count until this time, which is exclusive. A time within a day (UTC) includes that whole day. Default: now.',
    }),
    include: includeOf(['renderer', 'day']),
  })
  .refine(({ from, to }) => isWindow({ created_from: from, created_to: to }), {
    path: ['from'],
    error: 'must not be after to',
  });

/** A job in a list: without its payload. */
export const JobSummary = z
  .object({ ...jobFields, mode })
  .meta({ id: 'JobSummary', description: 'A job without its payload.' });
export type JobSummary = z.infer<typeof JobSummary>;
export const JobList = z
  .object({ jobs: z.array(JobSummary), next_cursor })
  .meta({ id: 'JobList', description: 'A page of jobs, newest first.' });

export const ClipList = z
  .object({ clips: z.array(ClipDetail), next_cursor })
  .meta({ id: 'ClipList', description: 'A page of clips, newest first.' });

/** Seconds of clip rendered with one tier, resolution and frame rate. */
export const UsageLine = z
  .object({
    day: z.iso.date().optional().meta({ description: 'The day (UTC) on which the clips were finished.' }),
    tier: z.enum(TIERS).meta({ description: 'The kind of key that submitted the jobs.' }),
    resolution: z.int().meta({ description: 'Height of the picture in pixels.' }),
    fps: z.int().meta({ description: 'Frame rate in frames a second.' }),
    renderer: madeWith.optional(),
    rendered_seconds: z.number().meta({ description: 'Seconds of clip. Each re-run counts.' }),
  })
  .meta({ id: 'UsageLine', description: 'Seconds rendered at one tier, resolution and frame rate.' });
export const Usage = z
  .object({
    from: z.iso.datetime().meta({ description: 'Start of the count, inclusive.' }),
    to: z.iso.datetime().meta({ description: 'End of the count, exclusive.' }),
    usage: z.array(UsageLine),
  })
  .meta({ id: 'Usage', description: 'The seconds of clip that were rendered in a span of time.' });

/** Returns the cursor that continues after a row. */
export function formatCursor({ createdAt, id }: ListCursor): string {
  return `${createdAt}_${id}`;
}

/** Returns a page and its next cursor. `rows` has one row more than the page if there are more. */
export function pageOf<Row extends ListCursor>(
  found: readonly Row[],
  limit: number,
): { readonly rows: readonly Row[]; readonly next_cursor: string | null } {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next_cursor: last && found.length > limit ? formatCursor(last) : null };
}
