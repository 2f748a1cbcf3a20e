import { json } from '#http/json.ts';
import { parseQuery } from '#http/read-body.ts';
import { AssetListQuery } from '#protocol/assets.ts';
import { selectAssets } from '#storage/lists.ts';
import type { ApiHandler } from './api-handler.ts';
import { assetView } from './asset-view.ts';
import { pageOf } from './page-of.ts';

/** `GET /api/assets`: newest first. */
export const listAssets: ApiHandler<'databases'> = async ({ databases }, { caller, url }) => {
  const { created_from, created_to, limit, cursor, kind } = parseQuery(url.searchParams, AssetListQuery);
  const page = { from: created_from, to: created_to, after: cursor, limit };
  const { rows, next_cursor } = pageOf(
    await selectAssets(databases.of(caller.database), caller.accountId, { ...page, kind }),
    limit,
  );
  return json({ assets: rows.map(assetView), next_cursor });
};
