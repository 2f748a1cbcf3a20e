import { createRecent } from '#domain/lib/rate-buckets.ts';
import { notFound } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import { ShownViews } from '#protocol/clip/clip-view.ts';
import { PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { perService } from '#service/lib/service.ts';
import { mayShow, siteOf } from './serve-file.ts';

/** How long an isolate, and a cache in front of it, keep a number of views, in milliseconds. */
const FRESH_MS = 60_000;
/** How many numbers an isolate keeps. */
const MAX_CLIPS = 1000;

interface KnownTotal {
  readonly until: number;
  readonly total: Promise<number>;
}
const knownTotals = perService(() => createRecent<KnownTotal>(MAX_CLIPS));

/** An isolate asks the index once a minute for each clip. */
export const shownViews = operation({
  route: 'GET /clips/:id/views',
  scope: 'public',
  answers: { 200: ShownViews },
  handler: limitGuesses(async (service, context) => {
    const { id } = context.params;
    const known = knownTotals(service);
    const record = await loadPublicRecord(service, id, context);
    if (record.state !== 'ready' || !record.clip.showsViews) throw notFound();
    const now = service.now();
    let kept = known.get(id);
    if (!kept || kept.until <= now) {
      const total = service.views.read(id).then((days) => days.reduce((sum, { views }) => sum + views, 0));
      kept = { until: now + FRESH_MS, total };
      known.set(id, kept);
      total.catch(() => known.delete(id));
    }
    return context.reply(200, { total: await kept.total }, { 'Cache-Control': `public, max-age=${FRESH_MS / 1000}` });
  }),
});

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
  shownViews: {
    tag: 'Viewing',
    summary: 'Show the views of a clip',
    description:
      'Returns views, at most two minutes old, if the account shows them on pages of clips. Answers 404 otherwise.',
    answers: { 200: answer('The number of views in the last 90 days.', { total: 1842 }) },
    problems: ['not_found'],
  },
  countView: {
    tag: 'Viewing',
    summary: 'Count a view',
    description:
      'Pages send it when their player begins to play, once a page. The service counts by clip and day and stores nothing else: no cookie, no address. A request counts if its `Origin` (or else `Referer`) is this service or a site that may show the clip. Requests of an address beyond its limit do not count.',
    answers: { 204: { description: 'The view is counted.' } },
    problems: ['not_found'],
  },
});
