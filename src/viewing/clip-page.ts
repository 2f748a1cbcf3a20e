import type { PublicClip } from '#domain/job/public-record.ts';
import { PAGE_CACHING } from '#http/headers.ts';
import type { Settings } from '#platform/settings.ts';
import { embedCode, playerOptions } from '#protocol/clip/player.ts';
import { clipUrls, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord, settingsFor } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { pageTitle, wordmark } from '../page/brand.ts';
import { type Html, html, ICONS } from '../page/html.ts';
import { sendNote } from '../page/note-page.ts';
import { type Page, pagesOf, sendPage } from '../page/page.ts';
import { CLIP_SCRIPT } from '../page/page-scripts.ts';
import { CLIP_STYLES, CLIP_STYLES_WITHOUT_SCRIPT } from '../page/page-styles.ts';
import { note, page } from '../page/words.ts';
import { withProblems } from './absent-clip.ts';
import { clipTextOf, reportLink } from './clip-facts.ts';
import { playerUrls } from './media-urls.ts';
import { HELP, player, shapeClass } from './player.ts';
import { previewTags } from './preview-tags.ts';

export const clipPage = operation({
  route: PUBLIC_ROUTES.clipPage,
  scope: 'public',
  handler: limitGuesses(
    withProblems(async (service, context) => {
      const { request, params, url } = context;
      const record = await loadPublicRecord(service, params.id, context);
      if (record.state !== 'ready') return sendNote(service, record, 'page', request);
      const { start } = playerOptions(url.searchParams);
      const draw = () => drawPage(settingsFor(service, record), params.id, record.clip, record.version, start);
      return sendPage(await pagesOf(service)(`page ${params.id} ${start}`, record.version, draw), request);
    }),
  ),
});

export const words = (): Words => ({
  clipPage: {
    tag: 'Viewing',
    summary: 'Show a clip',
    description: [
      'The page to share: the player, the title, the facts, links to copy, a download, and what chats and search engines read.',
      'With `?t=12.5` it starts there: seconds, or `1m12.5s`.',
    ].join('\n\n'),
    answers: {
      200: page('The page as HTML.'),
      404: note('A page that says that there is no such clip.'),
      410: note('A page that says that the clip was deleted.'),
    },
  },
});

function drawPage(settings: Settings, id: string, clip: PublicClip, version: number, start: number | null): Page {
  const { baseUrl, brand, mediaBaseUrl } = settings;
  const { page, embed } = clipUrls(baseUrl, id);
  const near = playerUrls(settings, clip, id, version);
  return {
    brand,
    title: pageTitle(clipTextOf(clip).title, brand),
    frameAncestors: "'self'",
    bodyClass: `page${shapeClass(clip)}`,
    cacheControl: PAGE_CACHING,
    styles: CLIP_STYLES,
    stylesWithoutScript: CLIP_STYLES_WITHOUT_SCRIPT,
    script: CLIP_SCRIPT,
    connects: true,
    mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
    head: html`<link rel="preload" as="image" href="${near.thumbnail}" fetchpriority="high">
${clip.isTest ? html`<meta name="robots" content="noindex">\n` : null}${previewTags(settings, clip, id)}`,
    body: html`<header class="top">${wordmark(brand)}</header>
<main class="clip">
<div class="stage">${player(clip, near, { ...playerOptions(new URLSearchParams()), start, preload: start === null ? 'none' : 'metadata' })}</div>
${about(clip, clipUrls('', id).views)}
${actions(clip, id, page, embedCode(clip, embed))}
${reportLink(settings, id)}
${clip.lists ? more(id) : null}</main>
${HELP}
<p class="toast" role="status"></p>`,
  };
}

function about(clip: PublicClip, views: string): Html {
  const { headline, players, map, drawn, round, length, drawing, picture, date, isoDate } = clipTextOf(clip);
  const fact = (name: string, value: string | number | Html | null) =>
    value === null ? html`` : html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`${drawing && html`<p class="drawing">${drawing}</p>\n`}<h1><bdi>${headline}</bdi></h1>
<dl class="facts">
${fact('Player', players === null ? null : html`<bdi>${players}</bdi>`)}${fact('Map', drawn === null ? map : `${map}, ${drawn}`)}${fact('Round', round)}${fact(
  'Length',
  length,
)}${fact('Picture', picture)}${fact('Made', html`<time datetime="${isoDate}">${date}</time>`)}${
  clip.showsViews ? html`<div class="scripted"><dt>Views</dt><dd data-count="${views}">…</dd></div>` : null
}
</dl>`;
}

function actions(clip: PublicClip, id: string, page: string, code: string): Html {
  const { video } = clipUrls('', id);
  return html`<div class="actions">
<button class="main scripted" data-copy="${page}" data-done="Copied the link">${ICONS.link}Copy link</button>
<button class="scripted" data-copy="${page}">${ICONS.clock}<span>Copy link at <time>0:00</time></span></button>
<button class="scripted" data-copy="${code}" data-done="Copied the embed code">${ICONS.code}Copy embed code</button>
<a class="button" href="${video}?download" download title="MP4, ${(clip.video.bytes / 1e6).toFixed(1)} MB">${ICONS.download}Download</a>
<button class="scripted keys" data-help aria-haspopup="dialog">${ICONS.keyboard}Keys <kbd>?</kbd></button>
</div>
<div class="unscripted">
<p>Link<input readonly value="${page}" aria-label="Link"></p>
<p>Embed code<input readonly value="${code}" aria-label="Embed code"></p>
</div>`;
}

/** The script fills it after the page is shown. It is the last part of the page, so that nothing moves. */
function more(id: string): Html {
  return html`<section class="more" hidden data-more="${clipUrls('', id).more}" aria-labelledby="more">
<h2 id="more">More clips</h2><ul></ul></section>
`;
}
