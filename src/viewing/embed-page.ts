import type { PublicClip } from '#domain/job/public-record.ts';
import { PAGE_CACHING } from '#http/headers.ts';
import type { Settings } from '#platform/settings.ts';
import { type PlayerOptions, playerOptions } from '#protocol/clip/player.ts';
import { clipUrls, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord, settingsFor } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { html } from '../page/html.ts';
import { sendNote } from '../page/note-page.ts';
import { type Page, pagesOf, sendPage } from '../page/page.ts';
import { EMBED_SCRIPT } from '../page/page-scripts.ts';
import { EMBED_STYLES } from '../page/page-styles.ts';
import { note, page } from '../page/words.ts';
import { withProblems } from './absent-clip.ts';
import { clipTextOf, reportLink } from './clip-facts.ts';
import { playerUrls } from './media-urls.ts';
import { player, shapeClass } from './player.ts';
import { previewTags } from './preview-tags.ts';

/** Contract 6.3, `clip_url`. */
export const clipEmbed = operation({
  route: PUBLIC_ROUTES.clipEmbed,
  scope: 'public',
  handler: limitGuesses(
    withProblems(async (service, context) => {
      const { request, params, url } = context;
      const record = await loadPublicRecord(service, params.id, context);
      if (record.state !== 'ready') return sendNote(service, record, 'embed', request);
      const options = playerOptions(url.searchParams);
      const draw = () => drawEmbed(settingsFor(service, record), params.id, record.clip, record.version, options);
      return sendPage(
        await pagesOf(service)(`embed ${params.id} ${JSON.stringify(options)}`, record.version, draw),
        request,
      );
    }),
  ),
});

export const words = (): Words => ({
  clipEmbed: {
    tag: 'Viewing',
    summary: 'Show the player alone',
    description: [
      'Returns the player for an `<iframe>` on any site. Webhooks send its address as `clip_url`. The page around it controls it by the player.js protocol.',
      'A chat that gets this address shows the same preview as for the page.',
      'In its query, `t` or `start` and `end` set what it plays: seconds, or `1m12.5s`. `autoplay` starts by itself, muted, because browsers allow no other way; `muted` starts without sound; `loop` starts again at the end. `controls=0` hides the controls, the title and the words under it, `poster=0` shows the first frame instead of the thumbnail. A flag may stand alone: `?muted` is `?muted=1`, and `0`, `false`, `no` or `off` switch it off. Unknown parameters are ignored.',
    ].join('\n\n'),
    answers: {
      200: page('The player as HTML.'),
      404: note('A note that there is no such clip.'),
      410: note('A note that the clip was deleted.'),
    },
  },
});

function drawEmbed(settings: Settings, id: string, clip: PublicClip, version: number, options: PlayerOptions): Page {
  const { brand, mediaBaseUrl } = settings;
  const { title, drawing } = clipTextOf(clip);
  const near = playerUrls(settings, clip, id, version);
  const preload = html`\n<link rel="preload" as="image" href="${near.thumbnail}" fetchpriority="high">`;
  return {
    brand,
    title,
    frameAncestors: clip.embedSites ? ["'self'", ...clip.embedSites].join(' ') : '*',
    bodyClass: `embed${shapeClass(clip)}`,
    cacheControl: PAGE_CACHING,
    styles: EMBED_STYLES,
    script: EMBED_SCRIPT,
    connects: true,
    mediaOrigin: mediaBaseUrl === null ? null : new URL(mediaBaseUrl).origin,
    head: html`<meta name="robots" content="noindex">
${previewTags(settings, clip, id)}${options.poster ? preload : null}`,
    body: html`<main>${player(clip, near, options)}${
      options.controls
        ? html`<a class="title" href="${clipUrls('', id).page}" target="_blank" rel="noopener"><bdi>${title}</bdi>${drawing && html`<small>${drawing}</small>`}</a>${reportLink(settings, id)}`
        : null
    }</main>`,
  };
}
