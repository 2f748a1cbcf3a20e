import { ViewingView, viewingView } from '#protocol/viewing.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findViewing } from '#storage/accounts.ts';

export const getViewing = operation({
  route: 'GET /api/viewing',
  scope: 'account:read',
  answers: { 200: ViewingView },
  handler: async ({ database }, { caller, reply }) =>
    reply(200, viewingView(await findViewing(database, caller.accountId))),
});

export const words = (): Words => ({
  getViewing: {
    tag: 'Viewing',
    summary: 'Read how your clips are shown',
    description:
      'Returns the settings for pages of clips. The defaults: any site may embed clips, pages show no views, and pages link to no other clips.',
    answers: {
      200: answer('The settings for pages of clips.', {
        embed_sites: null,
        show_views: false,
        show_more: false,
      }),
    },
  },
});
