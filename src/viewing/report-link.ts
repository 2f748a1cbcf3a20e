import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/lib/routes.ts';
import { type Html, html } from '../page/html.ts';

/**
 * Returns the link with which a viewer reports a clip to the operator's address. The address gets the clip's page, as a
 * mail's subject or as `clip`. Without `ABUSE_URL` there is no link.
 */
export function reportLink({ abuseUrl, baseUrl }: Pick<Settings, 'abuseUrl' | 'baseUrl'>, id: string): Html | '' {
  if (abuseUrl === null) return '';
  const url = new URL(abuseUrl);
  url.searchParams.set(url.protocol === 'mailto:' ? 'subject' : 'clip', clipUrls(baseUrl, id).page);
  return html`<a class="report" href="${url.href}" target="_blank" rel="noopener nofollow" aria-label="Report this clip">Report<span> this clip</span></a>`;
}
