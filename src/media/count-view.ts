import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadPublicRecord } from '../public-clip.ts';
import { mayShow, siteOf } from './asking-site.ts';

/**
 * `POST /clips/:id/views`: a player has begun to play the clip. Sent by pages, and not taken from loads of the file: a
 * media host or a cache answers those, and one view is many ranges. Counts only what comes from a page of this service
 * or of a site that the account names, and of an address that sends many not the rest.
 */
export const countView: PageHandler<'views', 'id'> = async (service, context) => {
  const { request, params, waitUntil } = context;
  const record = await loadPublicRecord(service, params.id, context);
  if (record.state !== 'ready') throw notFound();
  const site = siteOf(request);
  if (site === null || !mayShow({ embedSites: record.clip.embedSites ?? [] }, site, service.settings, request))
    return noContent();
  const wait = await service.limits.views.take(addressOf(request, service.settings));
  if (wait === 0) service.views.count(params.id, waitUntil);
  return noContent();
};
