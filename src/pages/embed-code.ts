import type { PublicClip } from '#domain/public-record.ts';
import { cleanTitle } from './clip-facts.ts';
import { html } from './html.ts';

/** The default size of an embedded player, in pixels. */
export const EMBED_SIZE = { width: 960, height: 540 } as const;

/** Returns the iframe that shows a clip on another site. */
export function embedCode(
  clip: Pick<PublicClip, 'title'>,
  embedUrl: string,
  { width, height }: { width: number; height: number } = EMBED_SIZE,
): string {
  return html`<iframe src="${embedUrl}" width="${width}" height="${height}" title="${cleanTitle(clip.title)}" frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"></iframe>`
    .text;
}
