import type { PublicClip } from '#domain/job/public-record.ts';
import { PAGE_CACHING } from '#http/headers.ts';
import type { Context } from '#http/router.ts';
import type { Settings } from '#platform/settings.ts';
import { playerOptions } from '#protocol/clip/player.ts';
import { clipUrls, href, PUBLIC_ROUTES, pathOf } from '#protocol/lib/routes.ts';
import { type ClipSource, loadPublicRecord } from '#service/clip/public-clip.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import type { Service } from '#service/lib/service.ts';
import { findLatestClipId } from '#storage/clip/clip-index.ts';
import { submitClip } from '../api/clips.ts';
import { siteNameTag, wordmark } from '../page/brand.ts';
import { stillOfSample, WHAT_A_CLIP_SHOWS } from '../page/first-words.ts';
import { type Html, html } from '../page/html.ts';
import { type Page, pagesOf, sendPage } from '../page/page.ts';
import { LANDING_SCRIPT } from '../page/page-scripts.ts';
import { LANDING_STYLES } from '../page/page-styles.ts';
import { page } from '../page/words.ts';
import { clipTextOf } from './clip-facts.ts';
import { mediaUrls, type PlayerUrls, playerUrls } from './media-urls.ts';
import { player } from './player.ts';

const STEPS = [
  ['Send a demo', 'Post the address of a recorded match and say whose kills you want, or which ticks.'],
  ['It is rendered', 'A host downloads it, finds the moments, draws and encodes them. You can watch the progress.'],
  ['Share the clip', 'You get one MP4, one picture, a page like the ones here, a player to embed, and a webhook.'],
] as const;

export const landing = operation({
  route: 'GET /',
  scope: 'public',
  handler: async (service, context) => {
    const sample = await loadSample(service, context);
    const draw = () => drawLanding(service.settings, sample);
    return sendPage(await pagesOf(service)(`landing ${sample?.id}`, sample?.version ?? 0, draw), context.request);
  },
});

export const words = (): Words => ({
  landing: {
    tag: 'Viewing',
    summary: 'Show what this is',
    description: 'The front page, with a clip to look at where the operator has named one.',
    answers: { 200: page('The page as HTML.') },
  },
});

function drawLanding(settings: Settings, sample: LandingClip | null): Page {
  const { baseUrl, brand, mediaBaseUrl } = settings;
  const near = sample && playerUrls(settings, sample.clip, sample.id, sample.version);
  const { name } = brand;
  const text = `${name || 'This service'} turns moments of recorded Counter-Strike 2 matches into clips to share.`;
  const title = name ? `${name}: clips of Counter-Strike 2 matches` : 'Clips of Counter-Strike 2 matches';
  return {
    cacheControl: PAGE_CACHING,
    brand,
    title,
    frameAncestors: "'self'",
    bodyClass: 'page landing',
    styles: LANDING_STYLES,
    ...(sample ? { script: LANDING_SCRIPT, connects: true } : {}),
    mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
    head: html`<link rel="canonical" href="${baseUrl}/">
<meta name="description" content="${text}">
${siteNameTag(brand)}<meta property="og:type" content="website">
<meta property="og:title" content="${name || title}">
<meta property="og:description" content="${text}">
<meta property="og:url" content="${baseUrl}/">${
      sample
        ? html`\n<link rel="preload" as="image" href="${near?.thumbnail ?? ''}" fetchpriority="high">
<meta property="og:image" content="${mediaUrls(settings, sample.clip, sample.id, baseUrl).thumbnail}">`
        : null
    }`,
    body: html`<header class="top">${wordmark(brand)}<nav><a href="${href(PUBLIC_ROUTES.studio)}">Studio</a>
<a href="${href(PUBLIC_ROUTES.docs)}">API docs</a></nav></header>
<main>
<section class="hero">
<div class="pitch"><h1>Every ace, <em>ready to share.</em></h1>
<p>${text} Send a demo, get back a video, its page and its player. ${WHAT_A_CLIP_SHOWS}</p>
<p class="go"><a class="button main" href="${href(PUBLIC_ROUTES.docs)}">Read the docs</a>${
      sample ? html`<a class="button" href="${clipUrls('', sample.id).page}">Open this clip</a>` : null
    }</p></div>
${sample && near ? showClip(sample.clip, near) : html`<div class="stage">${stillOfSample()}</div>`}
</section>
<ol class="steps">${STEPS.map(([name, what]) => html`<li><h2>${name}</h2><p>${what}</p></li>\n`)}</ol>
${begin(baseUrl)}
</main>`,
  };
}

/** The first steps. */
function begin(baseUrl: string): Html {
  const docs = href(PUBLIC_ROUTES.docs);
  return html`<section class="begin"><h2>How to begin</h2>
<ol>
<li><p>Ask whoever runs this service for a key.</p></li>
<li><p>Send a demo and say whose kills you want.</p>
<pre tabindex="0"><code>curl ${baseUrl}${pathOf(submitClip.route)} \\
  -H 'Authorization: Bearer <b>YOUR_KEY</b>' \\
  -H 'Content-Type: application/json' \\
  -d '{"demo_url": "<b>https://…/match.dem.gz</b>",
       "steam64_id": "<b>7656119…</b>", "round": 7}'</code></pre></li>
<li><p>Poll the returned job until it is <code>done</code>, or give it a <code>webhook_url</code>. Its
<code>clip_id</code> leads to the page, the player and the files.</p>
<pre tabindex="0"><code>curl ${baseUrl}/api/jobs/<b>JOB_ID</b> -H 'Authorization: Bearer <b>YOUR_KEY</b>'
${clipUrls(baseUrl, 'CLIP_ID').page}</code></pre></li>
</ol>
<p>Watermarks, timelines, webhooks and all else are in <a href="${docs}">the docs</a>.</p></section>`;
}

/** Returns a player that loads the video at the first touch, without sound. */
function showClip(clip: PublicClip, urls: PlayerUrls): Html {
  const options = { ...playerOptions(new URLSearchParams('muted&loop')), preload: 'none' } as const;
  return html`<figure><div class="stage">${player(clip, urls, options)}</div>
<figcaption><bdi>${clipTextOf(clip).title}</bdi></figcaption></figure>`;
}

interface LandingClip {
  readonly id: string;
  readonly clip: PublicClip;
  readonly version: number;
}

/** Returns the configured clip; null if it is not ready. */
async function loadSample(
  source: ClipSource & Pick<Service, 'database'>,
  context: Pick<Context, 'waitUntil'>,
): Promise<LandingClip | null> {
  const { landingClip } = source.settings;
  // Only a local service queries the index.
  const id = landingClip === 'latest' ? await findLatestClipId(source.database) : landingClip;
  if (id === null) return null;
  const record = await loadPublicRecord(source, id, context);
  return record.state === 'ready' ? { id, ...record } : null;
}
