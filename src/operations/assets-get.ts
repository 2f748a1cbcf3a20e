import { json } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { findAsset } from '#storage/assets.ts';
import type { ApiHandler } from './api-handler.ts';
import { assetView } from './asset-view.ts';

/** `GET /api/assets/:id`. */
export const getAsset: ApiHandler<'databases', 'id'> = async ({ databases }, { caller, params }) => {
  const asset = await findAsset(databases.of(caller.database), caller.accountId, params.id);
  if (!asset) throw notFound();
  return json(assetView(asset));
};
