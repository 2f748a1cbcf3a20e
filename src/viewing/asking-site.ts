import { isNamedSite } from '#domain/account/viewing.ts';
import type { PublicClip } from '#domain/job/public-record.ts';
import type { Settings } from '#platform/settings.ts';

/**
 * Returns the host of the page that a request comes from: by `Origin`, or else by `Referer`; null if neither names one.
 * If a script may read the response, browsers send `Origin` under any referrer policy of the page.
 */
export function siteOf({ headers }: Request): string | null {
  return (URL.parse(headers.get('Origin') ?? '') ?? URL.parse(headers.get('Referer') ?? ''))?.host || null;
}

/**
 * Returns whether pages of a host may show a clip: every page, unless the account lists sites. Pages of this service
 * always may, under its public name and under the name that a proxy uses.
 */
export function mayShow(
  { embedSites }: Pick<PublicClip, 'embedSites'>,
  host: string,
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  request: Request,
): boolean {
  const own = [baseUrl, request.url].map((url) => new URL(url).host);
  return !embedSites || own.includes(host) || isNamedSite(embedSites, host);
}
