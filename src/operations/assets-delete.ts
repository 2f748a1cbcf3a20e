import { noContent } from '#http/json.ts';
import { notFound } from '#http/problem.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { markAssetDeleted } from '#storage/assets.ts';

/**
 * The asset is gone for the account at once, and no new job can name it. Its file is kept for a day more
 * (`src/upkeep.ts`), so that jobs accepted before still get their watermark; one that runs later than that fails with
 * `render_failed`. Clips already rendered stay as they are.
 */
export const deleteAsset = operation({
  route: 'DELETE /api/assets/:id',
  scope: 'account:manage',
  handler: async ({ databases, now }, { caller, params }) => {
    if (!(await markAssetDeleted(databases.of(caller.database), caller.accountId, params.id, now()))) throw notFound();
    return noContent();
  },
});

export const words = (): OperationWords => ({
  tag: 'Assets',
  summary: 'Delete an image',
  description:
    'No new job can name it from now on. Jobs that were accepted before can still draw it for a day. Clips already rendered stay as they are.',
  answers: { 204: { description: 'The asset is deleted.' } },
});
