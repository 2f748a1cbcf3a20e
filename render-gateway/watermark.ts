import { type Bindings, renderJobOf } from '../durable-objects/bindings.ts';
import { notFound } from '../http/problem.ts';
import { parseQuery } from '../http/read-body.ts';
import { WatermarkQuery } from '../protocol/gateway.ts';
import { staleLease } from './lease.ts';

/**
 * `GET /gateway/v1/jobs/:id/watermark?fence=N`: the image that the job's order names, as it was uploaded. A host gets
 * no other image than that of the job it holds the lease of. 404 when the order names none, or its file is gone.
 */
export async function getWatermark(env: Bindings, hostId: string, jobId: string, request: Request): Promise<Response> {
  const { fence } = parseQuery(new URL(request.url).searchParams, WatermarkQuery);
  const held = await renderJobOf(env, jobId).watermark(hostId, fence);
  if (!held) throw staleLease();
  const object = held.key === null ? null : await env.CLIPS.get(held.key);
  if (!object) throw notFound();
  return new Response(object.body, {
    headers: {
      'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',
      'Content-Length': String(object.size),
      'Cache-Control': 'no-store',
    },
  });
}
