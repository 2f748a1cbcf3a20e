import * as z from 'zod';
import { TIERS } from '#domain/account/account.ts';
import { madeWith } from '#protocol/clip/clip-view.ts';
import { isWindow, time } from '#protocol/lib/lists.ts';
import { includeOf } from '#protocol/lib/shapes.ts';
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
