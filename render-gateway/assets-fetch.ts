import { IMAGE_TYPES } from '#domain/lib/image-header.ts';
import { SOUND_TYPES } from '#domain/lib/sound-header.ts';
import { problemOf } from '#http/accepted.ts';
import { notFound } from '#http/problem.ts';
import { LeaseQuery } from '#protocol/host/gateway.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { requireLease } from './lease.ts';

/** A host gets only the assets of a job whose lease it holds. `use`: an `AssetUse`. */
export const fetchAsset = operation({
  route: 'GET /gateway/v1/jobs/:id/assets/:use',
  scope: 'host',
  query: LeaseQuery,
  handler: async ({ images, ...service }, { caller: { id: hostId }, params, query }) => {
    const { fence } = query();
    const { assetKeys, isDone } = await requireLease(service, params.id, { hostId, fence });
    if (isDone) throw problemOf('stale_lease');
    const key = new Map(Object.entries(assetKeys)).get(params.use);
    const object = key === undefined ? null : await images.get(key);
    if (!object) throw notFound();
    return new Response(object.body, {
      headers: {
        'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',
        'Content-Length': String(object.size),
        'Cache-Control': 'no-store',
      },
    });
  },
});

export const words = (): Words => ({
  fetchAsset: {
    summary: 'Fetch an asset of the order',
    description:
      'The image or music that the order names for a use (`watermark`, `intro`, `outro`, `music`), as it was uploaded. 404 if it names none, or if it was deleted.',
    answers: { 200: { description: 'The bytes of the file.', content: { types: [...IMAGE_TYPES, ...SOUND_TYPES] } } },
    problems: ['stale_lease'],
  },
});
