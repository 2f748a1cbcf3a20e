import type { ListedClip } from '#domain/job/public-record.ts';
import { PAGE_CACHING } from '#http/headers.ts';
import { notFound } from '#http/problem.ts';
import { MoreClips } from '#protocol/clip/clip-view.ts';
import { clipUrls, PUBLIC_ROUTES } from '#protocol/lib/routes.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import { limitGuesses } from '#service/lib/admission.ts';
import { answer, operation, type Words } from '#service/lib/operation.ts';
import { loadList } from '#storage/clip/clip-lists.ts';
import { cleanTitle } from './clip-facts.ts';
import { mediaHostOf } from './media-urls.ts';

const MAX_SHOWN = 6;

/** Returns other clips of the match and the player, from the lists in R2. */
export const moreClips = operation({
  route: PUBLIC_ROUTES.moreClips,
  scope: 'public',
  answers: { 200: MoreClips },
  handler: limitGuesses(async (service, context) => {
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
    // All lists of a clip are of its account.
    const host = mediaHostOf(service.settings, record.clip);
    const clips = [...found.values()].slice(0, MAX_SHOWN).flatMap(({ id: clipId, version, shown }) => {
      if (shown === null) return [];
      const { page, thumbnail } = clipUrls('', clipId);
      return {
        title: cleanTitle(shown.title),
        duration_seconds: shown.durationSeconds,
        page,
        thumbnail: host === null ? `${thumbnail}?v=${version}` : `${host}/${shown.thumbnail}`,
      };
    });
    return context.reply(200, { clips }, { 'Cache-Control': PAGE_CACHING });
  }),
});

export const words = (): Words => ({
  moreClips: {
    tag: 'Viewing',
    summary: 'Show more clips',
    description:
      'Returns other clips of the same match and player, newest first, if the account shows them on pages of clips. The list may be as old as a page. Answers 404 otherwise.',
    answers: {
      200: answer('Up to six other clips.', {
        clips: [
          {
            title: '4 kills by Ferris on Nuke, round 9',
            duration_seconds: 16.2,
            page: '/clips/0a6d8f31-5b2c-4e79-9d10-83f7c2b4e6a5',
            thumbnail: '/clips/0a6d8f31-5b2c-4e79-9d10-83f7c2b4e6a5/thumbnail.jpg?v=7',
          },
        ],
      }),
    },
    problems: ['not_found'],
  },
});
