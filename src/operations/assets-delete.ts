import { notFound } from '#http/problem.ts';
import { operation, type Words } from '#service/operation.ts';
import { markAssetDeleted } from '#storage/assets.ts';

/**
 * Deletes an asset. Its file stays for a day (`src/upkeep.ts`), because accepted jobs may draw it. A later job fails
 * with `render_failed`.
 */
export const deleteAsset = operation({
  route: 'DELETE /api/assets/:id',
  scope: 'account:manage',
  answers: { 204: null },
  handler: async ({ database, now }, { caller, params, reply }) => {
    if (!(await markAssetDeleted(database, caller.accountId, params.id, now()))) throw notFound();
    return reply(204, null);
  },
});

export const words = (): Words => ({
  deleteAsset: {
    tag: 'Assets',
    summary: 'Delete an asset',
    description:
      'Deletes the asset: new jobs cannot name it. Accepted jobs can use it for another day. Rendered clips stay as they are.',
    answers: { 204: { description: 'The asset is deleted.' } },
  },
});
