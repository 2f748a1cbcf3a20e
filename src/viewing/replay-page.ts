import { PUBLIC_ROUTES, replayUrl } from '#protocol/lib/routes.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { html } from '../page/html.ts';
import { EMBED_STYLES, REPLAY_STYLES } from '../page/page-styles.ts';
import { note, page } from '../page/words.ts';
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
});
