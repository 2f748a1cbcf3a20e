import { thumbnailSize } from '#domain/clip/render-order.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { type Html, html } from './html.ts';

/** What a reader has to know first, because they expect the player's view. */
export const WHAT_A_CLIP_SHOWS =
  'A clip shows the match from above, drawn from the demo without the game; on a GPU host with the game, it is recorded through the player’s eyes.';

export function stillOfSample(): Html {
  const { width, height } = thumbnailSize();
  return html`<img src="${href(PUBLIC_ROUTES.sampleStill)}" width="${width}" height="${height}" alt="A frame of a clip: the map from above, the followed player, two smokes, a kill">`;
}
