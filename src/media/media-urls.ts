import type { PublicClip } from '../../domain/public-record.ts';
import type { Settings } from '../../platform/settings.ts';
import { clipUrls } from '../../protocol/webhook.ts';

/**
 * Where a page finds the files of a clip: on the media host if there is one, else below `base`, which is '' for
 * addresses that also work behind another name than the configured one.
 */
export function mediaUrls(
  { mediaBaseUrl }: Pick<Settings, 'mediaBaseUrl'>,
  clip: Pick<PublicClip, 'video' | 'thumbnail'>,
  id: string,
  base: string,
): { video: string; thumbnail: string } {
  if (mediaBaseUrl === null) {
    const { video, thumbnail } = clipUrls(base, id);
    return { video, thumbnail };
  }
  return { video: `${mediaBaseUrl}/${clip.video.key}`, thumbnail: `${mediaBaseUrl}/${clip.thumbnail.key}` };
}

/**
 * The same for the page's own player, with the version of the record that the page is made of: neither a browser nor a
 * data centre that has not heard of it yet gives a new page an old file.
 */
export function playerUrls(
  settings: Pick<Settings, 'mediaBaseUrl'>,
  clip: Pick<PublicClip, 'video' | 'thumbnail'>,
  id: string,
  version: number,
): { video: string; thumbnail: string } {
  const { video, thumbnail } = mediaUrls(settings, clip, id, '');
  // On a media host, each render has an address of its own.
  if (settings.mediaBaseUrl !== null) return { video, thumbnail };
  return { video: `${video}?v=${version}`, thumbnail: `${thumbnail}?v=${version}` };
}
