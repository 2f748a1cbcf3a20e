import { json } from '#http/json.ts';
import { ViewingView, viewingView } from '#protocol/viewing.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { findViewing } from '#storage/accounts.ts';

export const getViewing = operation({
  route: 'GET /api/viewing',
  scope: 'account:read',
  handler: async ({ database }, { caller }) => json(viewingView(await findViewing(database, caller.accountId))),
});

export const words = (): OperationWords => ({
  tag: 'Viewing',
  summary: 'Read how your clips are shown',
  description:
    'Returns the settings for pages of clips. The defaults: any site may embed clips, pages show no views, and pages link to no other clips.',
  answers: {
    200: answer('The settings for pages of clips.', ViewingView, {
      embed_sites: null,
      show_views: false,
      show_more: false,
    }),
  },
});
