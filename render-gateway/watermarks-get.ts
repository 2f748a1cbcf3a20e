import { IMAGE_TYPES } from '#domain/image-header.ts';
import { problemOf } from '#http/accepted.ts';
import { notFound } from '#http/problem.ts';
import { LeaseQuery } from '#protocol/gateway.ts';
import { type OperationWords, operation } from '#service/operation.ts';
import { requireLease } from './lease.ts';

/** A host gets only the image of a job whose lease it holds. */
export const getWatermark = operation({
  route: 'GET /gateway/v1/jobs/:id/watermark',
  scope: 'host',
  query: LeaseQuery,
  handler: async ({ images, ...service }, { caller: { id: hostId }, params, query }) => {
    const { fence } = query();
    const { watermarkKey: key, isDone } = await requireLease(service, params.id, { hostId, fence });
    if (isDone) throw problemOf('stale_lease');
    const object = key === null ? null : await images.get(key);
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

export const words = (): OperationWords => ({
  summary: "Fetch the order's watermark",
  description: 'The image that the order names, as it was uploaded. 404 if it names none.',
  answers: { 200: { description: 'The image.', content: { types: IMAGE_TYPES } } },
  problems: ['stale_lease'],
});
