import type { ListedClip } from '#domain/more-clips.ts';
import { PAGE_CACHING } from '#http/file-cache-control.ts';
import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { clipUrls } from '#protocol/webhook.ts';
import { loadList } from '#storage/clip-lists.ts';
import type { PageHandler } from '../page-handler.ts';
import { cleanTitle } from '../pages/clip-facts.ts';
import { loadPublicRecord } from '../public-clip.ts';

const MAX_SHOWN = 6;

/**
 * `GET /clips/:id/more`: other clips of the match, and if these are few, of the player. Only for accounts that enable
 * it. The page loads it after it is shown. The jobs of the clips write the lists.
 */
export const moreClips: PageHandler<never, 'id'> = async (service, context) => {
  const { id } = context.params;
  const record = await loadPublicRecord(service, id, context);
  if (record.state !== 'ready' || !record.clip.lists) throw notFound();
  const found = new Map<string, ListedClip>();
  for (const list of record.clip.lists) {
    if (found.size >= MAX_SHOWN) break;
    for (const one of await loadList(service, list, context.waitUntil)) {
      if (one.shown !== null && one.id !== id) found.set(one.id, one);
    }
  }
  const { mediaBaseUrl } = service.settings;
  const clips = [...found.values()].slice(0, MAX_SHOWN).flatMap(({ id: clipId, version, shown }) => {
    if (shown === null) return [];
    const { page, thumbnail } = clipUrls('', clipId);
    return {
      title: cleanTitle(shown.title),
      duration_seconds: shown.durationSeconds,
      page,
      thumbnail: mediaBaseUrl === null ? `${thumbnail}?v=${version}` : `${mediaBaseUrl}/${shown.thumbnail}`,
    };
  });
  return json({ clips }, 200, { 'Cache-Control': PAGE_CACHING });
};
