import type { PublicClip } from '../../domain/public-record.ts';
import { isNamedSite } from '../../domain/viewing.ts';
import type { Settings } from '../../platform/settings.ts';

/**
 * The host of the page that a request comes from: by `Origin`, or else by `Referer`; null where neither names one.
 * Browsers send `Origin` with what a script may read, whatever the page says of referrers.
 */
export function siteOf({ headers }: Request): string | null {
  return (URL.parse(headers.get('Origin') ?? '') ?? URL.parse(headers.get('Referer') ?? ''))?.host || null;
}

/**
 * Whether pages of a host may show a clip: those of the sites that its account names, and those of this service, which
 * is called by its public name or, behind a proxy, by another.
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
