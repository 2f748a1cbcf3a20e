import * as z from 'zod';
import type { Viewing } from '#domain/account/account.ts';

const MOST_SITES = 50;
/** A site, with its port unless that is the usual one. */
const SITE = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/;

const embed_sites = z
  .array(z.string().max(260).regex(SITE, 'must be a host as in example.com or *.example.com'))
  .max(MOST_SITES)
  .nullable()
  .meta({
    description:
      'Sites that may embed your clips and load their files, as `example.com` or `*.example.com`; an empty list for none but this service, null for any.',
  });
const show_views = z.boolean().meta({ description: 'Whether the page of a clip shows how often it was watched.' });

const show_more = z.boolean().meta({
  description:
    'Whether the page of a clip shows others of its match and of its player. Who has the address of one then finds more of them.',
});

/** How an account's clips are shown. */
export const ViewingView = z
  .object({ embed_sites, show_views, show_more })
  .meta({ id: 'Viewing', description: 'Settings for the pages of your clips.' });
export const ViewingChanges = z
  .strictObject({
    embed_sites: embed_sites.optional(),
    show_views: show_views.optional(),
    show_more: show_more.optional(),
  })
  .meta({ id: 'ViewingChanges', description: 'Fields to change. Fields that are left out keep their values.' });

export function viewingView({ embedSites, showsViews, showsMore }: Viewing): z.input<typeof ViewingView> {
  return { embed_sites: embedSites && [...embedSites], show_views: showsViews, show_more: showsMore };
}
