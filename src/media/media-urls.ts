import type { Clip } from '../../domain/clip.ts';
import type { Settings } from '../../platform/settings.ts';
import { clipUrls } from '../../protocol/webhook.ts';

/**
 * Where a page finds the files of a clip: on the media host if there is one, else below `base`, which is '' for
 * addresses that also work behind another name than the configured one.
 */
export function mediaUrls(
  { mediaBaseUrl }: Pick<Settings, 'mediaBaseUrl'>,
  clip: Pick<Clip, 'video' | 'thumbnail'>,
  id: string,
  base: string,
): { video: string; thumbnail: string } {
  if (mediaBaseUrl === null) {
    const { video, thumbnail } = clipUrls(base, id);
    return { video, thumbnail };
  }
  return { video: `${mediaBaseUrl}/${clip.video.key}`, thumbnail: `${mediaBaseUrl}/${clip.thumbnail.key}` };
}
