import { notFound } from '#http/problem.ts';
import { Asset } from '#protocol/assets.ts';
import { ASSET } from '#protocol/examples.ts';
import { answer, operation, type Words } from '#service/operation.ts';
import { findAssets } from '#storage/assets.ts';
import { assetView } from './asset-view.ts';

export const getAsset = operation({
  route: 'GET /api/assets/:id',
  scope: 'account:read',
  answers: { 200: Asset },
  handler: async ({ database }, { caller, params, reply }) => {
    const [asset] = await findAssets(database, caller.accountId, [params.id]);
    if (!asset) throw notFound();
    return reply(200, assetView(asset));
  },
});

export const words = (): Words => ({
  getAsset: {
    tag: 'Assets',
    summary: 'Read an asset',
    description: 'Returns kind, type, and size or length of the asset. The file itself cannot be downloaded.',
    answers: { 200: answer('The asset without its file.', ASSET) },
  },
});
