import { notFound } from '../http/problem.ts';
import { parseQuery } from '../http/read-body.ts';
import { WatermarkQuery } from '../protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';
import { staleLease } from './lease.ts';

/**
 * `GET /gateway/v1/jobs/:id/watermark?fence=N`: the image that the job's order names, as it was uploaded. A host gets
 * no other image than that of the job it holds the lease of. 404 when the order names none, or its file is gone.
 */
export const getWatermark: HostHandler<'job' | 'files'> = async ({ job, files }, { caller: hostId, params, url }) => {
  const { fence } = parseQuery(url.searchParams, WatermarkQuery);
  const held = await job(params.id).watermark(hostId, fence);
  if (!held) throw staleLease();
  const object = held.key === null ? null : await files.get(held.key);
  if (!object) throw notFound();
  return new Response(object.body, {
    headers: {
      'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',
      'Content-Length': String(object.size),
      'Cache-Control': 'no-store',
    },
  });
};
