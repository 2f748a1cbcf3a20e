import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { addressOf } from '#http/rate-limit.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadPublicRecord } from '../public-clip.ts';
import { mayShow, siteOf } from './asking-site.ts';

/**
 * `POST /clips/:id/views`: counts a view. Pages send it when a player begins to play. Loads of the file are not
 * counted: a media host or a cache may answer them, and one view loads many ranges. A view counts only from a page of
 * this service or of a site that the account lists, and up to a limit for each address.
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
