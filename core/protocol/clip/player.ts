import { type Aspect, type Size, sizeOf } from '#domain/clip/render-order.ts';
import { cleanLine, escapeHtml } from '#domain/lib/text.ts';

/** Returns the default size of an embedded player, in pixels. */
export function embedSize(aspect?: Aspect): Size {
  const { width, height } = sizeOf(1080, aspect);
  return { width: width / 2, height: height / 2 };
}

/** Returns the iframe that shows a clip on another site. */
export function embedCode(
  clip: { readonly title: string; readonly aspect?: Aspect | undefined },
  embedUrl: string,
  { width, height }: Size = embedSize(clip.aspect),
): string {
  const [src, title] = [embedUrl, cleanLine(clip.title) || 'Clip'].map(escapeHtml);
  return `<iframe src="${src}" width="${width}" height="${height}" title="${title}" frameborder="0" allow="autoplay; fullscreen" allowfullscreen loading="lazy"></iframe>`;
}

/** How a player starts. Times are in seconds. */
export interface PlayerOptions {
  readonly autoplay: boolean;
  readonly muted: boolean;
  readonly loop: boolean;
  readonly controls: boolean;
  readonly poster: boolean;
  readonly start: number | null;
  readonly end: number | null;
  /** What the browser loads before somebody plays the video: `metadata` unless given. */
  readonly preload?: 'none' | 'metadata';
}

/**
 * Reads the options of a player's URL. `?muted` is the same as `?muted=1`; `0`, `false`, `no` and `off` disable it.
 * Ignores unknown and invalid options. Browsers start a video by themselves only if it is muted, so `autoplay` implies
 * `muted`.
 */
export function playerOptions(query: URLSearchParams): PlayerOptions {
  const flag = (name: string, unset: boolean) => {
    const value = query.get(name);
    return value === null ? unset : !/^(0|false|no|off)$/i.test(value);
  };
  const autoplay = flag('autoplay', false);
  const start = seconds(query.get('t') ?? query.get('start'));
  const end = seconds(query.get('end'));
  return {
    autoplay,
    muted: autoplay || flag('muted', false),
    loop: flag('loop', false),
    controls: flag('controls', true),
    poster: flag('poster', true),
    start,
    end: end !== null && end > (start ?? 0) ? end : null,
  };
}

/** Reads `12.5`, `12.5s` or `1m12.5s`; null for anything else. */
function seconds(text: string | null): number | null {
  const match = /^(?:(\d{1,3})m)?(?:(\d{1,5}(?:\.\d{1,3})?)s?)?$/.exec(text ?? '');
  if (!text || !match) return null;
  return Number(match[1] ?? 0) * 60 + Number(match[2] ?? 0);
}
