import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { Asset } from '#protocol/assets.ts';
import { ASSET } from '#protocol/examples.ts';
import { answer, type OperationWords, operation } from '#service/operation.ts';
import { findAssets } from '#storage/assets.ts';
import { assetView } from './asset-view.ts';

export const getAsset = operation({
  route: 'GET /api/assets/:id',
  scope: 'account:read',
  handler: async ({ database }, { caller, params }) => {
    const [asset] = await findAssets(database, caller.accountId, [params.id]);
    if (!asset) throw notFound();
    return json(assetView(asset));
  },
});

export const words = (): OperationWords => ({
  tag: 'Assets',
  summary: 'Read an asset',
  description: 'Returns kind, type, and size or length of the asset. The file itself cannot be downloaded.',
  answers: { 200: answer('The asset without its file.', Asset, ASSET) },
});
