import { clipUrls } from '../../protocol/webhook.ts';
import { mediaUrls } from '../media/media-urls.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadViewable } from '../public-clip.ts';
import { clipFacts } from './clip-facts.ts';
import { html } from './html.ts';
import { notePage } from './note-page.ts';
import { pageResponse } from './page.ts';
import { EMBED_SCRIPT } from './page-scripts.ts';
import { EMBED_STYLES } from './page-styles.ts';
import { player } from './player.ts';
import { playerOptions } from './player-options.ts';
import { reportLink } from './report-link.ts';

/**
 * `GET /clips/:id/embed`: the player alone, for frames on other sites (contract 6.3, `clip_url`). The page around it
 * may work it in the player.js protocol.
 */
export const embedPage: PageHandler<never, 'id'> = async (service, { params: { id }, url }) => {
  const { settings } = service;
  const { mediaBaseUrl } = settings;
  const clip = await loadViewable(service, id);
  if (typeof clip === 'string') return notePage(clip, 'embed');
  const options = playerOptions(url.searchParams);
  const { title } = clipFacts(clip);
  const near = mediaUrls(settings, clip, id, '');
  const preload = html`\n<link rel="preload" as="image" href="${near.thumbnail}" fetchpriority="high">`;
  return pageResponse({
    title,
    frameAncestors: '*',
    bodyClass: 'embed',
    styles: EMBED_STYLES,
    script: EMBED_SCRIPT,
    mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
    head: html`<meta name="robots" content="noindex">
<link rel="canonical" href="${clipUrls(settings.baseUrl, id).page}">${options.poster ? preload : null}`,
    body: html`<main>${player(clip, near, options)}${
      options.controls
        ? html`<a class="title" href="${clipUrls('', id).page}" target="_blank" rel="noopener"><bdi>${title}</bdi></a>${reportLink(settings.abuseUrl, clipUrls(settings.baseUrl, id).page)}`
        : null
    }</main>`,
  });
};
