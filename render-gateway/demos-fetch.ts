import { accepted } from '#http/accepted.ts';
import { rangeStillValid } from '#http/conditions.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { parseRange } from '#http/range.ts';
import { parseQuery } from '#http/read-body.ts';
import { LeaseQuery } from '#protocol/gateway.ts';
import type { HostHandler } from './host-handler.ts';

/**
 * `GET /gateway/v1/jobs/:id/demo?fence=N`: the demo that the job's account uploaded, whole or a range of it, so that a
 * download that broke off goes on. A host gets no other demo than that of the job it holds the lease of.
 */
export const fetchDemo: HostHandler<'job' | 'demos'> = async (
  { job, demos },
  { caller: { id: hostId }, params, request, url },
) => {
  const { fence } = parseQuery(url.searchParams, LeaseQuery);
  const key = accepted(await job(params.id).demo(hostId, fence));
  const file = key === null ? null : await demos.head(key);
  if (key === null || file === null) throw notFound();
  const { size, httpEtag, uploaded } = file;
  const asked = request.method === 'GET' ? request.headers.get('Range') : null;
  const isValid = asked !== null && rangeStillValid(request.headers, httpEtag, uploaded.getTime());
  const range = isValid ? parseRange(asked, size) : null;
  if (range === 'unsatisfiable') {
    const headers = { 'Content-Range': `bytes */${size}` };
    throw new ProblemError('range_not_satisfiable', `The demo has ${size} bytes.`, { headers });
  }
  const { start, end } = range ?? { start: 0, end: size };
  const headers = new Headers({
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'no-store',
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(end - start),
    ETag: httpEtag,
  });
  if (range) headers.set('Content-Range', `bytes ${start}-${end - 1}/${size}`);
  const object =
    request.method === 'HEAD' ? null : await demos.get(key, { range: { offset: start, length: end - start } });
  if (object === null && request.method !== 'HEAD') throw notFound();
  return new Response(object?.body ?? null, { status: range ? 206 : 200, headers });
};
