import { type Html, html } from './html.ts';

/** Returns the link for reports to the operator. It contains the clip's page: as a mail's subject, or as `clip`. */
export function reportLink(abuseUrl: string | null, page: string): Html | null {
  if (abuseUrl === null) return null;
  const url = new URL(abuseUrl);
  url.searchParams.set(url.protocol === 'mailto:' ? 'subject' : 'clip', page);
  return html`<a class="report" href="${url.href}" target="_blank" rel="noopener nofollow" aria-label="Report this clip">Report<span> this clip</span></a>`;
}
