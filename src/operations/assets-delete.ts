import type { Bindings } from '../../durable-objects/bindings.ts';
import { noContent } from '../../http/json.ts';
import { notFound } from '../../http/problem.ts';
import type { Caller } from '../../storage/accounts.ts';
import { markAssetDeleted } from '../../storage/assets.ts';
import { createDatabase } from '../../storage/database.ts';

/**
 * `DELETE /api/assets/:id`. The asset is gone for the account at once, and no new job can name it. Its file is kept
 * for a day more (`src/upkeep.ts`), so that jobs accepted before still get their watermark; one that runs later than
 * that fails with `render_failed`. Clips already rendered stay as they are.
 */
export async function deleteAsset(env: Bindings, caller: Caller, assetId: string): Promise<Response> {
  const deleted = await markAssetDeleted(createDatabase(env.DB), caller.accountId, assetId, Date.now());
  if (!deleted) throw notFound();
  return noContent();
}
