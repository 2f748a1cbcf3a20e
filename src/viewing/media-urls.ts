import type { PublicClip } from '#domain/job/public-record.ts';
import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/lib/routes.ts';

type ClipFiles = Pick<PublicClip, 'video' | 'thumbnail' | 'storyboard' | 'embedSites'>;

export interface MediaUrls {
  readonly video: string;
  readonly thumbnail: string;
  /** null if the clip has none. */
  readonly storyboard: string | null;
}

/** The URLs that the page's own player needs. */
export interface PlayerUrls extends MediaUrls {
  readonly views: string;
}

/**
 * Returns the address of the host of a clip's files; null for the Worker. A media host cannot check which site asks, so
 * it serves no clips of accounts that name sites.
 */
export function mediaHostOf(
  { mediaBaseUrl }: Pick<Settings, 'mediaBaseUrl'>,
  { embedSites }: Pick<PublicClip, 'embedSites'>,
): string | null {
  return embedSites ? null : mediaBaseUrl;
}

/**
 * Returns the URLs of a clip's files: on the media host if there is one, else below `base`. With the base '' they also
 * work under another name than the configured one.
 */
export function mediaUrls(
  settings: Pick<Settings, 'mediaBaseUrl'>,
  clip: ClipFiles,
  id: string,
  base: string,
): MediaUrls {
  const { video, thumbnail, storyboard } = clip;
  const host = mediaHostOf(settings, clip);
  if (host === null) {
    const urls = clipUrls(base, id);
    return { video: urls.video, thumbnail: urls.thumbnail, storyboard: storyboard ? urls.storyboard : null };
  }
  const at = ({ key }: { readonly key: string }) => `${host}/${key}`;
  return { video: at(video), thumbnail: at(thumbnail), storyboard: storyboard ? at(storyboard) : null };
}

/**
 * Returns the URLs for the page's own player. They contain the version of the record in the page, so that a cache with
 * an older file does not answer.
 */
export function playerUrls(
  settings: Pick<Settings, 'mediaBaseUrl'>,
  clip: ClipFiles,
  id: string,
  version: number,
): PlayerUrls {
  const urls = { ...mediaUrls(settings, clip, id, ''), views: clipUrls('', id).views };
  // On a media host, each render has its own URL.
  if (mediaHostOf(settings, clip) !== null) return urls;
  const { video, thumbnail, storyboard } = urls;
  const at = (url: string) => `${url}?v=${version}`;
  return { ...urls, video: at(video), thumbnail: at(thumbnail), storyboard: storyboard && at(storyboard) };
}
