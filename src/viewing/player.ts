import { sizeOf, thumbnailSize } from '#domain/clip/render-order.ts';
import type { PublicClip } from '#domain/job/public-record.ts';
import type { PlayerOptions } from '#protocol/clip/player.ts';
import { type Html, html } from '../page/html.ts';
import { cleanTitle } from './clip-facts.ts';
import type { PlayerUrls } from './media-urls.ts';

/** The button over the poster. The script shows it until the video plays. */
const COVER = html`<button class="cover" data-cover aria-label="Play" hidden><svg viewBox="0 0 64 64" aria-hidden="true"><path d="M25 19.5v25a1.5 1.5 0 0 0 2.3 1.3l19-12.5a1.5 1.5 0 0 0 0-2.6l-19-12.5A1.5 1.5 0 0 0 25 19.5z"/></svg></button>
`;

/**
 * Returns the video element. It has its size before it loads, and works without a script: its URL contains the start
 * and the end (Media Fragments URI 1.0).
 */
export function player(clip: PublicClip, urls: PlayerUrls, options: PlayerOptions): Html {
  const { autoplay, muted, loop, controls, poster, start, end, preload = 'metadata' } = options;
  const flag = (name: string, on: boolean) => (on ? html` ${name}` : null);
  const { width, height } = sizeOf(clip.resolution, clip.aspect);
  return html`<video${clip.aspect === undefined ? null : html` class="${shapeClass(clip).trim()}"`} playsinline preload="${preload}" tabindex="0" width="${width}" height="${height}"
 src="${urls.video}${fragment(start, loop ? null : end)}" aria-label="${cleanTitle(clip.title)}"${
   poster ? html` poster="${urls.thumbnail}"` : null
 }${flag(controls ? 'controls' : 'data-bare', true)}${flag('autoplay', autoplay)}${flag('muted', muted)}${flag('loop', loop)}
 data-fps="${clip.fps}" data-views="${urls.views}"${start === null ? null : html` data-start="${start}"`}${
   end === null ? null : html` data-end="${end}"`
 }></video>
${storyboard(clip, urls)}${controls ? COVER : null}<p class="failed" role="alert" data-failed hidden>This video cannot be played right now. Reload the page to try again.</p>`;
}

/** Returns the classes, after others, of a page or an element for the shape of its clip. */
export function shapeClass({ aspect }: Pick<PublicClip, 'aspect'>): string {
  if (aspect === undefined) return '';
  const { width, height } = thumbnailSize(aspect);
  return ` shape-${aspect.replace(':', '-')}${width < height ? ' tall' : ''}`;
}

/** The picture that the script shows during a seek. */
function storyboard(clip: PublicClip, urls: PlayerUrls): Html | null {
  const { storyboard: board } = clip;
  if (!board || urls.storyboard === null) return null;
  const { columns, rows, intervalSeconds } = board;
  return html`<div class="board${shapeClass(clip)}" hidden data-board="${urls.storyboard}" data-columns="${columns}" data-rows="${rows}" data-interval="${intervalSeconds}"></div>
`;
}

function fragment(start: number | null, end: number | null): string {
  if (start === null && end === null) return '';
  return `#t=${start ?? 0}${end === null ? '' : `,${end}`}`;
}

const KEYS: readonly (readonly [readonly string[], string])[] = [
  [['Space', 'K'], 'Play or pause'],
  [['←', '→'], 'Back or on 5 seconds'],
  [['J', 'L'], 'Back or on 10 seconds'],
  [[',', '.'], 'One frame back or on'],
  [['0', '…', '9'], 'Jump to a tenth of the clip'],
  [['M'], 'Sound on or off'],
  [['F'], 'Full screen'],
  [['?'], 'Show or hide this list'],
];

/** The dialog with the list of keys. The key `?` opens it. */
export const HELP = html`<dialog class="help" aria-labelledby="help-title">
<h2 id="help-title">Keys</h2>
<dl>${KEYS.map(
  ([keys, what]) =>
    html`<div><dt>${keys.map((key) => (key === '…' ? html` to ` : html`<kbd>${key}</kbd>`))}</dt><dd>${what}</dd></div>\n`,
)}</dl>
<button>Close</button>
</dialog>`;
