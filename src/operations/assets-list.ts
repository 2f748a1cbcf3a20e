import { AssetList, AssetListQuery } from '#protocol/assets.ts';
import { ASSET } from '#protocol/examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { selectAssets } from '#storage/lists.ts';
import { assetView } from './asset-view.ts';
import { pageOf } from './page-of.ts';

export const listAssets = operation({
  route: 'GET /api/assets',
  scope: 'account:read',
  query: AssetListQuery,
  answers: { 200: AssetList },
  handler: async ({ database }, { caller, query, reply }) => {
    const { created_from, created_to, limit, cursor, kind } = query();
    const page = { from: created_from, to: created_to, after: cursor, limit };
    const { rows, next_cursor } = pageOf(await selectAssets(database, caller.accountId, { ...page, kind }), limit);
    return reply(200, { assets: rows.map(assetView), next_cursor });
  },
});

export const words = (): Words => ({
  listAssets: {
    tag: 'Assets',
    summary: 'List assets',
    description: 'Returns assets, newest first.',
    answers: { 200: answer('A page of assets.', { assets: [ASSET], next_cursor: null }) },
  },
});
