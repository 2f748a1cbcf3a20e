import { notFound } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/limit-guesses.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { mayShow, siteOf } from './asking-site.ts';

/** Loads of the file are not counted: a media host or a cache may answer them, and one view loads many ranges. */
export const countView = operation({
  route: PUBLIC_ROUTES.countView,
  scope: 'public',
  answers: { 204: null },
  handler: limitGuesses(async (service, context) => {
    const { request, params, waitUntil } = context;
    const record = await loadPublicRecord(service, params.id, context);
    if (record.state !== 'ready') throw notFound();
    const site = siteOf(request);
    if (site === null || !mayShow({ embedSites: record.clip.embedSites ?? [] }, site, service.settings, request))
      return context.reply(204, null);
    const { views } = service.limits;
    const address = addressOf(request, service.settings);
    if (views.waitOf(address) > 0) return context.reply(204, null);
    await views.count(address);
    service.views.count(params.id, waitUntil);
    return context.reply(204, null);
  }),
});

export const words = (): Words => ({
  countView: {
    tag: 'Viewing',
    summary: 'Count a view',
    description:
      'Pages send it when their player begins to play, once a page. The service counts by clip and day and stores nothing else: no cookie, no address. A request counts if its `Origin` (or else `Referer`) is this service or a site that may show the clip. Requests of an address beyond its limit do not count.',
    answers: { 204: { description: 'The view is counted.' } },
    problems: ['not_found'],
  },
});
