import { ViewingChanges, ViewingView, viewingView } from '#protocol/viewing.ts';
import { answer, only, operation, type Words } from '#service/operation.ts';
import { updateViewing } from '#storage/accounts.ts';
import { scheduleRepublishing } from '../sweep-viewing.ts';

export const changeViewing = operation({
  route: 'PATCH /api/viewing',
  scope: 'account:manage',
  body: ViewingChanges,
  answers: { 200: ViewingView },
  handler: async ({ database, now }, { caller, body, reply }) => {
    const { embed_sites, show_views, show_more } = await body();
    const changes = { embedSites: embed_sites, showsViews: show_views, showsMore: show_more };
    const viewing = await updateViewing(database, caller.accountId, changes);
    await scheduleRepublishing(database, caller.accountId, now());
    return reply(200, viewingView(viewing));
  },
});

export const words = (): Words => ({
  changeViewing: {
    tag: 'Viewing',
    summary: 'Change how your clips are shown',
    description:
      'Applies to new clips at once and to existing clips within some minutes. Browsers obey it; other programs can ignore it, and everybody who can watch a clip can copy it.',
    body: { examples: only({ embed_sites: ['example.com', '*.example.com'] }) },
    answers: {
      200: answer('The settings after the change.', {
        embed_sites: ['example.com', '*.example.com'],
        show_views: false,
        show_more: false,
      }),
    },
  },
});
