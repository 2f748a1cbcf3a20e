import { embedCode } from '#protocol/clip/player.ts';
import { PUBLIC_ROUTES, replayUrl } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { pageTitle, siteNameTag, wordmark } from '../page/brand.ts';
import { html, ICONS } from '../page/html.ts';
import { CLIP_STYLES, EMBED_STYLES, REPLAY_STYLES } from '../page/page-styles.ts';
import { note, page } from '../page/words.ts';
import { reportLink } from './clip-facts.ts';
import { HELP } from './player.ts';
import { discoveryLinks } from './preview-tags.ts';
import { replayHandler, replayPlayer } from './replay-player.ts';

export const replayEmbed = operation({
  route: PUBLIC_ROUTES.replayEmbed,
  scope: 'public',
  handler: replayHandler('embed', ({ settings, id, title, embedSites, replay, hasControls }) => ({
    title,
    frameAncestors: embedSites ? ["'self'", ...embedSites].join(' ') : '*',
    bodyClass: 'embed replay',
    styles: EMBED_STYLES + REPLAY_STYLES,
    head: discoveryLinks(settings, title, replayUrl(settings.baseUrl, id)),
    body: html`<main><h1 class="unseen">${title}</h1>${replayPlayer({ ...replay, isPlaying: false, hasControls })}</main>`,
  })),
});

export const replayPage = operation({
  route: PUBLIC_ROUTES.replayPage,
  scope: 'public',
  handler: replayHandler('page', ({ settings, id, title, replay }) => {
    const { baseUrl, brand } = settings;
    const url = replayUrl(baseUrl, id);
    return {
      title: pageTitle(title, brand),
      frameAncestors: "'self'",
      bodyClass: 'page',
      styles: CLIP_STYLES + REPLAY_STYLES,
      head: html`${siteNameTag(brand)}<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${url}">
${discoveryLinks(settings, title, url)}`,
      body: html`<header class="top">${wordmark(brand)}</header>
<main class="clip">
<div class="stage">${replayPlayer({ ...replay, isPlaying: true, hasControls: true })}</div>
<h1><bdi>${title}</bdi></h1>
<p class="wait" role="status" data-wait></p>
<div class="actions">
<button class="main" data-copy="${url}" data-done="Copied the link">${ICONS.link}Copy link</button>
<button data-copy="${url}">${ICONS.clock}<span>Copy link at <time>0:00</time></span></button>
<button data-copy="${embedCode({ title }, `${url}/embed`)}" data-done="Copied the embed code">${ICONS.code}Copy embed code</button>
<button class="keys" data-help aria-haspopup="dialog">${ICONS.keyboard}Keys <kbd>?</kbd></button>
</div>
${reportLink(settings, id)}</main>
${HELP}
<p class="toast" role="status"></p>`,
    };
  }),
});

export const words = (): Words => ({
  replayEmbed: {
    tag: 'Viewing',
    summary: 'Show a replay alone',
    description:
      'Returns the player of a replay for an `<iframe>` on any site. It accepts the parameters of the page, and `autoplay`, `loop` and `controls=0` of a clip’s player. The page around it controls it by the player.js protocol, which has one more method here: `setMoment` with `{ from, to, player }`.',
    answers: {
      200: page('The player as HTML.'),
      404: note('A note that there is no such replay.'),
      410: note('A note that the clip was deleted.'),
    },
  },
  replayPage: {
    tag: 'Viewing',
    summary: 'Show a replay',
    description: [
      'The page that plays a demo, or the ticks of a clip, from above in the browser, drawn by the same code as a clip. `replay_url` of a demo and `POST /api/jobs/:id/replay` name it. While the job is under way it waits for the clip, and then shows the video at the same tick.',
      '`from` and `to` are the first and the last tick, `player` is the position of the followed player in the list of players, `t` is the time at which it starts: seconds, or `1m12.5s`. Unknown and invalid parameters are ignored.',
    ].join('\n\n'),
    answers: {
      200: page('The page as HTML.'),
      404: note('A page that says that there is no such replay.'),
      410: note('A page that says that the clip was deleted.'),
    },
  },
});
