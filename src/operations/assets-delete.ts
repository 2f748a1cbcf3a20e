import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { markAssetDeleted } from '#storage/assets.ts';
import type { ApiHandler } from './api-handler.ts';

/**
 * `DELETE /api/assets/:id`. The asset is gone for the account at once, and no new job can name it. Its file is kept
 * for a day more (`src/upkeep.ts`), so that jobs accepted before still get their watermark; one that runs later than
 * that fails with `render_failed`. Clips already rendered stay as they are.
 */
export const deleteAsset: ApiHandler<'databases' | 'now', 'id'> = async ({ databases, now }, { caller, params }) => {
  if (!(await markAssetDeleted(databases.of(caller.database), caller.accountId, params.id, now()))) throw notFound();
  return noContent();
};
