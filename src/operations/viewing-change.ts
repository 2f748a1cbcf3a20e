import { json } from '#http/json.ts';
import { ViewingChanges, ViewingView, viewingView } from '#protocol/viewing.ts';
import { answer, type OperationWords, only, operation } from '#service/operation.ts';
import { updateViewing } from '#storage/accounts.ts';
import { beginShowingAnew } from '../sweep-viewing.ts';

/** Counts for clips that are made from now on, and within some minutes for those there are. */
export const changeViewing = operation({
  route: 'PATCH /api/viewing',
  scope: 'account:manage',
  body: ViewingChanges,
  handler: async ({ database, now }, { caller, body }) => {
    const { embed_sites, show_views, show_more } = await body();
    const changes = { embedSites: embed_sites, showsViews: show_views, showsMore: show_more };
    const viewing = await updateViewing(database, caller.accountId, changes);
    await beginShowingAnew(database, caller, now());
    return json(viewingView(viewing));
  },
});

export const words = (): OperationWords => ({
  tag: 'Viewing',
  summary: 'Change how your clips are shown',
  description:
    'Counts for clips that are made from now on, and within some minutes for those there are. Browsers keep other sites from embedding a player and from loading files; a program that is no browser can say what it likes, and whoever may watch a clip can copy it.',
  body: { examples: only({ embed_sites: ['example.com', '*.example.com'] }) },
  answers: {
    200: answer('How they are shown from now on.', ViewingView, {
      embed_sites: ['example.com', '*.example.com'],
      show_views: false,
      show_more: false,
    }),
  },
});
