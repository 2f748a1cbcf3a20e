import type { Clip } from '../../domain/clip.ts';
import type { Settings } from '../../platform/settings.ts';
import { href, PUBLIC_ROUTES } from '../../protocol/routes.ts';
import { clipUrls } from '../../protocol/webhook.ts';
import { findLatestClipId } from '../../storage/clip-index.ts';
import { mediaUrls } from '../media/media-urls.ts';
import type { PageHandler } from '../page-handler.ts';
import { type ClipSource, loadViewable } from '../public-clip.ts';
import { clipFacts } from './clip-facts.ts';
import { type Html, html } from './html.ts';
import { BRAND } from './icons.ts';
import { LANDING_ART } from './landing-art.ts';
import { pageResponse } from './page.ts';
import { LANDING_STYLES } from './page-styles.ts';
import { player } from './player.ts';
import { playerOptions } from './player-options.ts';

const STEPS = [
  ['Send a demo', 'Post the address of a recorded match and say whose kills you want, or which ticks.'],
  ['It is rendered', 'A host downloads it, finds the moments, draws and encodes them. You can watch the progress.'],
  ['Share the clip', 'You get one MP4, one picture, a page like the ones here, a player to embed, and a webhook.'],
] as const;

/** `GET /`: what this is, with a clip to look at when one is configured and there. */
export const landingPage: PageHandler = async (service) => {
  const { settings } = service;
  const { baseUrl, mediaBaseUrl } = settings;
  const sample = await loadSample(service, settings.landingClip);
  const text = 'Tickreel turns moments of recorded Counter-Strike 2 matches into clips to share.';
  return pageResponse({
    title: 'Tickreel: clips of Counter-Strike 2 matches',
    frameAncestors: "'self'",
    bodyClass: 'page landing',
    styles: LANDING_STYLES,
    mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
    head: html`<link rel="canonical" href="${baseUrl}/">
<meta name="description" content="${text}">
<meta property="og:site_name" content="Tickreel">
<meta property="og:type" content="website">
<meta property="og:title" content="Tickreel">
<meta property="og:description" content="${text}">
<meta property="og:url" content="${baseUrl}/">${
      sample
        ? html`\n<link rel="preload" as="image" href="${mediaUrls(settings, sample.clip, sample.id, '').thumbnail}" fetchpriority="high">
<meta property="og:image" content="${mediaUrls(settings, sample.clip, sample.id, baseUrl).thumbnail}">`
        : null
    }`,
    body: html`<header class="top">${BRAND}<nav><a href="${href(PUBLIC_ROUTES.docs)}">API docs</a></nav></header>
<main>
<section class="hero">
<div class="pitch"><h1>Every ace, <em>ready to share.</em></h1>
<p>${text} Send a demo, get back a video, its page and its player, without the game, without a GPU.</p>
<p class="go"><a class="button main" href="${href(PUBLIC_ROUTES.docs)}">Read the docs</a>${
      sample ? html`<a class="button" href="${clipUrls('', sample.id).page}">Open this clip</a>` : null
    }</p></div>
${sample ? showClip(settings, sample) : html`<div class="stage art">${LANDING_ART}</div>`}
</section>
<ol class="steps">${STEPS.map(([name, what]) => html`<li><h2>${name}</h2><p>${what}</p></li>\n`)}</ol>
</main>`,
  });
};

function showClip(settings: Pick<Settings, 'mediaBaseUrl'>, { id, clip }: { id: string; clip: Clip }): Html {
  const urls = mediaUrls(settings, clip, id, '');
  return html`<figure><div class="stage">${player(clip, urls, playerOptions(new URLSearchParams('autoplay&loop')))}</div>
<figcaption><bdi>${clipFacts(clip).title}</bdi></figcaption></figure>`;
}

/** The configured clip, as long as it is there. */
async function loadSample(
  source: ClipSource,
  configured: Settings['landingClip'],
): Promise<{ id: string; clip: Clip } | null> {
  const id = configured === 'latest' ? await findLatestClipId(source.databases.home) : configured;
  if (id === null) return null;
  const clip = await loadViewable(source, id);
  return typeof clip === 'string' ? null : { id, clip };
}
