import type { PublicClip } from '#domain/public-record.ts';
import type { Settings } from '#platform/settings.ts';
import { clipUrls } from '#protocol/webhook.ts';

type ClipFiles = Pick<PublicClip, 'video' | 'thumbnail' | 'storyboard'>;

export interface MediaUrls {
  readonly video: string;
  readonly thumbnail: string;
  /** Null where the clip has none. */
  readonly storyboard: string | null;
}

/** What the page's own player needs. */
export interface PlayerUrls extends MediaUrls {
  readonly views: string;
}

/**
 * Where a page finds the files of a clip: on the media host if there is one, else below `base`, which is '' for
 * addresses that also work behind another name than the configured one.
 */
export function mediaUrls(
  { mediaBaseUrl }: Pick<Settings, 'mediaBaseUrl'>,
  clip: ClipFiles,
  id: string,
  base: string,
): MediaUrls {
  const { video, thumbnail, storyboard } = clip;
  if (mediaBaseUrl === null) {
    const urls = clipUrls(base, id);
    return { video: urls.video, thumbnail: urls.thumbnail, storyboard: storyboard ? urls.storyboard : null };
  }
  const at = ({ key }: { readonly key: string }) => `${mediaBaseUrl}/${key}`;
  return { video: at(video), thumbnail: at(thumbnail), storyboard: storyboard ? at(storyboard) : null };
}

/**
 * The same for the page's own player, with the version of the record that the page is made of: neither a browser nor a
 * data centre that has not heard of it yet gives a new page an old file.
 */
export function playerUrls(
  settings: Pick<Settings, 'mediaBaseUrl'>,
  clip: ClipFiles,
  id: string,
  version: number,
): PlayerUrls {
  const urls = { ...mediaUrls(settings, clip, id, ''), views: clipUrls('', id).views };
  // On a media host, each render has an address of its own.
  if (settings.mediaBaseUrl !== null) return urls;
  const { video, thumbnail, storyboard } = urls;
  const at = (url: string) => `${url}?v=${version}`;
  return { ...urls, video: at(video), thumbnail: at(thumbnail), storyboard: storyboard && at(storyboard) };
}
