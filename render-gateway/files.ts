import { demoFileKey } from '#domain/job/storage-keys.ts';
import { problemOf } from '#http/accepted.ts';
import { rangeStillValid } from '#http/headers.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { parseRange } from '#http/range.ts';
import { LeaseQuery } from '#protocol/host/gateway.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { requireLease } from './lease.ts';

/** A host gets only the demo of a job whose lease it holds. */
export const fetchDemo = operation({
  route: 'GET /gateway/v1/jobs/:id/demo',
  scope: 'host',
  query: LeaseQuery,
  handler: async ({ demos, ...service }, { caller: { id: hostId }, params, request, query }) => {
    const { fence } = query();
    const { upload, isDone } = await requireLease(service, params.id, { hostId, fence });
    if (isDone) throw problemOf('stale_lease');
    if (upload === null) throw notFound();
    const key = demoFileKey(upload.accountId, upload.id);
    const file = await demos.head(key);
    if (file === null) throw notFound();
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
  },
});

export const words = (): Words => ({
  fetchDemo: {
    summary: 'Fetch an uploaded demo',
    description:
      'Returns the file of a grant with `is_uploaded_demo` as the account uploaded it, plain or compressed. With `Range`, and the `ETag` as `If-Range`, a broken download continues. Answers 404 if the demo was deleted or is stored elsewhere.',
    answers: {
      200: { description: 'The bytes of the file.', content: { types: ['application/octet-stream'] } },
      206: { description: 'A range of the file.', content: { types: ['application/octet-stream'] } },
    },
    problems: ['stale_lease', 'range_not_satisfiable'],
  },
});
