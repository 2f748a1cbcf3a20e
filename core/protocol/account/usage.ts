import * as z from 'zod';
import { TIERS, type Viewing } from '#domain/account/account.ts';
import { madeWith } from '#protocol/clip/clip-view.ts';
import { isWindow, time } from '#protocol/lib/lists.ts';
import { includeOf } from '#protocol/lib/shapes.ts';
import * as field from '../lib/fields.ts';

/** Days count as a whole, including those of `from` and `to`. */
export const UsageQuery = z
  .strictObject({
    from: time.optional().describe('Count from the beginning of that day (UTC); without it, from the first.'),
    to: time
      .optional()
      .describe(
        'Count until this time, which is exclusive. A time within a day (UTC) includes that whole day. Default: now.',
      ),
    include: includeOf(['renderer', 'day']),
  })
  .refine(({ from, to }) => isWindow({ created_from: from, created_to: to }), {
    path: ['from'],
    error: 'must not be after to',
  });

/** Seconds of clip rendered with one tier, resolution and frame rate. */
export const UsageLine = z
  .object({
    day: z.iso.date().optional().describe('The day (UTC) on which the clips were finished.'),
    tier: z.enum(TIERS).describe('The kind of key that submitted the jobs.'),
    resolution: field.integer('Shorter side of the picture in pixels.'),
    fps: field.integer('Frame rate in frames a second.'),
    renderer: madeWith.optional(),
    rendered_seconds: field.number('Seconds of clip. Each re-run counts.'),
  })
  .meta({ id: 'UsageLine', description: 'Seconds rendered at one tier, resolution and frame rate.' });

export const Usage = z
  .object({
    from: field.time('Start of the count, inclusive.'),
    to: field.time('End of the count, exclusive.'),
    usage: z.array(UsageLine),
  })
  .meta({ id: 'Usage', description: 'The seconds of clip that were rendered in a span of time.' });

const MOST_SITES = 50;
/** A site, with its port unless that is the usual one. */
const SITE = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

const embed_sites = z
  .array(z.string().max(260).regex(SITE, 'must be a host as in example.com or *.example.com'))
  .max(MOST_SITES)
  .nullable()
  .describe(
    'Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for none but this service, null for any.',
  );
const show_views = field.flag('Whether the page of a clip shows how often it was watched.');

const show_more = field.flag(
  'Whether the page of a clip shows others of its match and of its player. Who has the address of one then finds more of them.',
);

const hide_names = field.flag(
  'Whether new requests without `names` hide the names of players, as `names: "hide"` does.',
);

/** How an account's clips are shown. */
export const ViewingView = z
  .object({ embed_sites, show_views, show_more, hide_names })
  .meta({ id: 'Viewing', description: 'Settings for the pages of your clips.' });
export const ViewingChanges = z
  .strictObject({
    embed_sites: embed_sites.optional(),
    show_views: show_views.optional(),
    show_more: show_more.optional(),
    hide_names: hide_names.optional(),
  })
  .meta({ id: 'ViewingChanges', description: 'Fields to change. Fields that are left out keep their values.' });

export function viewingView(viewing: Viewing): z.input<typeof ViewingView> {
  const { embedSites, showsViews: show_views, showsMore: show_more, hidesNames: hide_names } = viewing;
  return { embed_sites: embedSites && [...embedSites], show_views, show_more, hide_names };
}
