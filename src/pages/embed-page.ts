import type { PublicClip } from '#domain/public-record.ts';
import { PAGE_CACHING } from '#http/file-cache-control.ts';
import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/webhook.ts';
import { playerUrls } from '../media/media-urls.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadPublicRecord } from '../public-clip.ts';
import { clipFacts } from './clip-facts.ts';
import { html } from './html.ts';
import { sendNote } from './note-page.ts';
import { type Page, type Pages, sendPage } from './page.ts';
import { EMBED_SCRIPT } from './page-scripts.ts';
import { EMBED_STYLES } from './page-styles.ts';
import { player } from './player.ts';
import { type PlayerOptions, playerOptions } from './player-options.ts';
import { reportLink } from './report-link.ts';

/**
 * `GET /clips/:id/embed`: only the player, for frames on other sites (contract 6.3, `clip_url`). The page around the
 * frame can control it by the player.js protocol.
 */
export function embedPage(pages: Pages): PageHandler<never, 'id'> {
  return async (service, context) => {
    const { request, params, url } = context;
    const record = await loadPublicRecord(service, params.id, context);
    if (record.state !== 'ready') return sendNote(record.state, 'embed', request);
    const options = playerOptions(url.searchParams);
    const draw = () => drawEmbed(service.settings, params.id, record.clip, record.version, options);
    return sendPage(await pages(`embed ${params.id} ${JSON.stringify(options)}`, record.version, draw), request);
  };
}

function drawEmbed(settings: Settings, id: string, clip: PublicClip, version: number, options: PlayerOptions): Page {
  const { baseUrl, mediaBaseUrl } = settings;
  const { title } = clipFacts(clip);
  const { page } = clipUrls(baseUrl, id);
  const near = playerUrls(settings, clip, id, version);
  const preload = html`\n<link rel="preload" as="image" href="${near.thumbnail}" fetchpriority="high">`;
  return {
    title,
    frameAncestors: clip.embedSites ? ["'self'", ...clip.embedSites].join(' ') : '*',
    bodyClass: 'embed',
    cacheControl: PAGE_CACHING,
    styles: EMBED_STYLES,
    script: EMBED_SCRIPT,
    connects: true,
    mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
    head: html`<meta name="robots" content="noindex">
<link rel="canonical" href="${page}">${options.poster ? preload : null}`,
    body: html`<main>${player(clip, near, options)}${
      options.controls
        ? html`<a class="title" href="${clipUrls('', id).page}" target="_blank" rel="noopener"><bdi>${title}</bdi></a>${reportLink(settings.abuseUrl, page)}`
        : null
    }</main>`,
  };
}
