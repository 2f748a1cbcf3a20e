import { json } from '../../http/json.ts';
import { readShape } from '../../http/read-body.ts';
import { ViewingChanges, viewingView } from '../../protocol/viewing.ts';
import { findViewing, updateViewing } from '../../storage/accounts.ts';
import { beginShowingAnew } from '../sweep-viewing.ts';
import type { ApiHandler } from './api-handler.ts';

/** `PATCH /api/viewing`: counts for clips that are made from now on, and within some minutes for those there are. */
export const changeViewing: ApiHandler<'database' | 'now'> = async ({ database, now }, { caller, request }) => {
  const changes = await readShape(request, ViewingChanges);
  const before = await findViewing(database, caller.accountId);
  const viewing = {
    embedSites: changes.embed_sites === undefined ? before.embedSites : changes.embed_sites,
    showsViews: changes.show_views ?? before.showsViews,
    showsMore: changes.show_more ?? before.showsMore,
  };
  await updateViewing(database, caller.accountId, viewing);
  await beginShowingAnew(database, caller, now());
  return json(viewingView(viewing));
};
