import type { Settings } from '#platform/settings.ts';
import { href, PUBLIC_ROUTES } from '#protocol/routes.ts';
import { clipUrls } from '#protocol/webhook.ts';
import { type Html, html } from './html.ts';

/**
 * Returns where a viewer reports a clip: the form of this service, or the operator's own address with the clip's page
 * in it, as a mail's subject or as `clip`.
 */
export function reportUrl({ abuseUrl, baseUrl }: Pick<Settings, 'abuseUrl' | 'baseUrl'>, id: string): string {
  if (abuseUrl === null) return href(PUBLIC_ROUTES.reportPage, { id });
  const url = new URL(abuseUrl);
  url.searchParams.set(url.protocol === 'mailto:' ? 'subject' : 'clip', clipUrls(baseUrl, id).page);
  return url.href;
}

export function reportLink(settings: Parameters<typeof reportUrl>[0], id: string): Html {
  return html`<a class="report" href="${reportUrl(settings, id)}" target="_blank" rel="noopener nofollow" aria-label="Report this clip">Report<span> this clip</span></a>`;
}
