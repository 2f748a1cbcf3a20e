import { json } from '#http/json.ts';
import { readShape } from '#http/read-body.ts';
import { ViewingChanges, viewingView } from '#protocol/viewing.ts';
import { updateViewing } from '#storage/accounts.ts';
import { beginShowingAnew } from '../sweep-viewing.ts';
import type { ApiHandler } from './api-handler.ts';

/** `PATCH /api/viewing`: counts for clips that are made from now on, and within some minutes for those there are. */
export const changeViewing: ApiHandler<'database' | 'now'> = async ({ database, now }, { caller, request }) => {
  const { embed_sites, show_views, show_more } = await readShape(request, ViewingChanges);
  const changes = { embedSites: embed_sites, showsViews: show_views, showsMore: show_more };
  const viewing = await updateViewing(database, caller.accountId, changes);
  await beginShowingAnew(database, caller, now());
  return json(viewingView(viewing));
};
