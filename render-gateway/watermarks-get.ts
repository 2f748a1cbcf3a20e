import { accepted } from '#http/accepted.ts';
import { notFound } from '#http/problem.ts';
import { parseQuery } from '#http/read-body.ts';
import { LeaseQuery } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';

/**
 * `GET /gateway/v1/jobs/:id/watermark?fence=N`: the image that the job's order names, as it was uploaded. A host gets
 * no other image than that of the job it holds the lease of. 404 when the order names none, or its file is gone.
 */
export const getWatermark: HostHandler<'job' | 'images'> = async (
  { job, images },
  { caller: { id: hostId }, params, url },
) => {
  const { fence } = parseQuery(url.searchParams, LeaseQuery);
  const key = accepted(await job(params.id).watermark(hostId, fence));
  const object = key === null ? null : await images.get(key);
  if (!object) throw notFound();
  return new Response(object.body, {
    headers: {
      'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',
      'Content-Length': String(object.size),
      'Cache-Control': 'no-store',
    },
  });
};
