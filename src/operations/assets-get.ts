import type { Bindings } from '../../durable-objects/bindings.ts';
import { json } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';
import { findAsset } from '../../storage/assets.ts';
import { createDatabase } from '../../storage/database.ts';
import { assetView } from './asset-view.ts';

/** `GET /api/assets/:id`. */
export async function getAsset(env: Bindings, caller: Caller, assetId: string): Promise<Response> {
  const asset = await findAsset(createDatabase(env.DB), caller.accountId, assetId);
  if (!asset) throw notFound();
  return json(assetView(asset));
}
