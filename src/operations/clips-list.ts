import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { clipDetail } from '#protocol/clip-view.ts';
import { ClipListQuery } from '#protocol/lists.ts';
import { clipOfRow } from '#storage/clip-index.ts';
import { selectClips } from '#storage/lists.ts';
import type { ApiHandler } from './api-handler.ts';
import { pageOf } from './page-of.ts';

/** `GET /api/clips`: newest first, out of the index. */
export const listClips: ApiHandler<'databases' | 'settings'> = async ({ databases, settings }, { caller, url }) => {
  const query = parseQuery(url.searchParams, ClipListQuery);
  const { created_from, created_to, limit, cursor, state, saved, include } = query;
  const page = { from: created_from, to: created_to, after: cursor, limit };
  const found = await selectClips(databases.replicaOf(caller.database), caller.accountId, {
    ...page,
    state,
    isSaved: saved,
  });
  const { rows, next_cursor } = pageOf(found, limit);
  return json({
    clips: rows.map((row) => clipDetail(row.id, row.jobId, clipOfRow(row), include, settings)),
    next_cursor,
  });
};
