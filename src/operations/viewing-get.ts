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
    'By default any site may embed them, nobody sees how often they were watched, and no page links to your other clips.',
  answers: {
    200: answer('How they are shown.', ViewingView, { embed_sites: null, show_views: false, show_more: false }),
  },
});
