import { isoDate } from '#domain/metering.ts';
import { accepted } from '#http/accepted.ts';
import { ClipViews } from '#protocol/clip-view.ts';
import { CLIP } from '#protocol/examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { keptDays } from '#service/views.ts';
import { askOwner } from '../clip-owner.ts';

/** Counts views of deleted clips too. */
export const getClipViews = operation({
  route: 'GET /api/clips/:id/views',
  scope: 'account:read',
  answers: { 200: ClipViews },
  handler: async (service, { caller, params: { id }, reply }) => {
    accepted(await askOwner(service, id, (owner) => owner.readClip(caller.accountId, id)));
    const days = await service.views.read(id);
    return reply(200, {
      clip_id: id,
      since: isoDate(keptDays(service.now()).first),
      total: days.reduce((sum, { views }) => sum + views, 0),
      days: days.map(({ day, views }) => ({ date: isoDate(day), views })),
    });
  },
});

export const words = (): Words => ({
  getClipViews: {
    tag: 'Clips',
    summary: 'Count the views of a clip',
    description:
      'Counts the starts of the clip in a player, by day (UTC), for the last 90 days. The last seconds may be missing. Large numbers may be estimates.',
    answers: {
      200: answer('The days with views.', {
        clip_id: CLIP.id,
        since: '2026-02-04',
        total: 1842,
        days: [
          { date: '2026-05-03', views: 1717 },
          { date: '2026-05-04', views: 125 },
        ],
      }),
    },
  },
});
