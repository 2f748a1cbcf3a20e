import type { PublicRecord } from '#domain/job/public-record.ts';
import { TEST_MARK } from '#domain/job/test-end.ts';
import { PAGE_CACHING } from '#http/headers.ts';
import type { Handler } from '#http/router.ts';
import type { Settings } from '#platform/settings.ts';
import { playerOptions } from '#protocol/clip/player.ts';
import { href, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord, settingsFor } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import type { Service } from '#service/lib/service.ts';
import { type Html, html } from '../page/html.ts';
import { sendNote } from '../page/note-page.ts';
import { type Page, pagesOf, sendPage } from '../page/page.ts';
import { REPLAY_VERSION } from '../page/page-scripts.ts';
import { withProblems } from './absent-clip.ts';
import { clipTextOf } from './clip-facts.ts';
import { playerUrls } from './media-urls.ts';
import { player } from './player.ts';

/** Returns the title of a replay: that of its clip, if there is one. */
export function replayTitle(found: PublicReplay): string {
  return 'video' in found ? clipTextOf(found).title : `${found.isTest ? TEST_MARK : ''}Replay of a match`;
}

const SPEEDS = ['0.25', '0.5', '1', '2', '4'];
const PLAY = html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M5 3v14l12-7z"/><path d="M5 3h3.5v14H5zm6.5 0H15v14h-3.5z"/></svg>`;
const FULL = html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 3h6v2H5v4H3zm8 0h6v6h-2V5h-4zM3 11h2v4h4v2H3zm12 0h2v6h-6v-2h4z"/></svg>`;

interface PlayedReplay {
  /** The address of its tracks. */
  readonly tracks: string;
  readonly title: string;
  /** The video of its clip; null while there is none. */
  readonly film: Html | null;
}

interface ShownReplay {
  readonly settings: Settings;
  readonly id: string;
  readonly title: string;
  readonly embedSites: readonly string[] | undefined;
  readonly replay: PlayedReplay;
  readonly hasControls: boolean;
}

/** Returns the handler of a page of replays. The page is the same for each moment; its script reads the address. */
export function replayHandler(
  kind: 'page' | 'embed',
  draw: (shown: ShownReplay) => Omit<Page, 'brand' | 'cacheControl' | 'connects' | 'mediaOrigin' | 'scriptFile'>,
): Handler<Service, 'id', null, never> {
  return limitGuesses(
    withProblems(async (service, context) => {
      const { request, params, url } = context;
      const record = await loadPublicRecord(service, params.id, context);
      const settings = settingsFor(service, record);
      const found = replayOf(record);
      if (!found) return sendNote(service, record, kind, request);
      const { controls } = playerOptions(url.searchParams);
      const make = (): Page => {
        const clip = 'video' in found ? found : null;
        const title = replayTitle(found);
        const tracks = `${href(PUBLIC_ROUTES.replayTracks, params)}?v=${record.version}`;
        const film =
          clip &&
          player(clip, playerUrls(settings, clip, params.id, record.version), playerOptions(new URLSearchParams()));
        const { embedSites } = found;
        const page = draw({
          settings,
          id: params.id,
          title,
          embedSites,
          replay: { tracks, title, film },
          hasControls: controls,
        });
        return {
          ...page,
          brand: settings.brand,
          head: html`<meta name="robots" content="noindex">
${page.head ?? null}`,
          cacheControl: PAGE_CACHING,
          connects: true,
          mediaOrigin: settings.mediaBaseUrl === null ? null : new URL(settings.mediaBaseUrl).origin,
          scriptFile: `${href(PUBLIC_ROUTES.playerFile, { name: 'replay.js' })}?v=${REPLAY_VERSION}`,
        };
      };
      return sendPage(await pagesOf(service)(`replay ${kind} ${params.id} ${controls}`, record.version, make), request);
    }),
  );
}

/** What viewers get of a replay: its clip too, once there is one. */
type PublicReplay = Extract<PublicRecord, { readonly clip: object }>['clip'];

/** Returns the public parts of a replay; null if a record has none. */
export function replayOf(record: PublicRecord): PublicReplay | null {
  return 'clip' in record && record.clip.tracks ? record.clip : null;
}

/**
 * Returns the canvas of a replay and its controls. The script fills them, and shows the bar. `isPlaying`: whether it
 * begins by itself.
 */
export function replayPlayer({
  tracks,
  title,
  film,
  isPlaying,
  hasControls,
}: PlayedReplay & { readonly isPlaying: boolean; readonly hasControls: boolean }): Html {
  return html`<div class="screen" data-tracks="${tracks}" data-fps="32"${isPlaying ? html` data-autoplay` : null}>
<canvas width="960" height="540" role="img" aria-label="${title}"></canvas>
<p role="status" data-state>Loading the replay</p>
<div data-film>${film}</div>
<div class="${hasControls ? 'bar' : 'bar none'}" data-bar hidden>
<button data-toggle aria-label="Play">${PLAY}</button>
<div class="seek"><input type="range" data-seek min="0" step="any" value="0" aria-label="Time"></div>
<time data-clock></time>
<select data-player aria-label="Player who is followed"></select>
<select data-round aria-label="Round"></select>
<select data-speed aria-label="Speed">${SPEEDS.map(
    (speed) => html`<option value="${speed}"${speed === '1' ? html` selected` : null}>${speed}×</option>`,
  )}</select>
<button data-full aria-label="Full screen">${FULL}</button>
</div>
<button data-switch hidden>Show the video</button>
<noscript><p class="failed">A replay needs JavaScript.</p></noscript>
<p class="failed" role="alert" data-trouble hidden></p>
</div>`;
}
