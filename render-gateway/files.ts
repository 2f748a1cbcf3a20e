import { demoFileKey } from '#domain/job/storage-keys.ts';
import { IMAGE_TYPES } from '#domain/lib/image-header.ts';
import { SOUND_TYPES } from '#domain/lib/sound-header.ts';
import { problemOfRefusal } from '#http/accepted.ts';
import { parseRange, rangeStillValid } from '#http/headers.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import { faceitDemo } from '#protocol/demo/faceit.ts';
import { LeaseQuery } from '#protocol/host/gateway.ts';
import { signedAddress } from '#service/demo/faceit.ts';
import { operation, type Words } from '#service/lib/operation.ts';
import { findUpload } from '#storage/demo/uploads.ts';
import { requireLease } from './admission.ts';

/** A host gets only the demo of a job whose lease it holds. */
export const fetchDemo = operation({
  route: 'GET /gateway/v1/jobs/:id/demo',
  scope: 'host',
  query: LeaseQuery,
  handler: async ({ demos, ...service }, { caller: { id: hostId }, params, request, query }) => {
    const { fence } = query();
    const { upload, demoUrl, isDone } = await requireLease(service, params.id, { hostId, fence });
    if (isDone) throw problemOfRefusal('stale_lease');
    const key = upload && demoFileKey(upload.accountId, upload.id);
    const file = key && (await demos.head(key));
    if (!file) {
      const kept = upload ? await findUpload(service.database, upload.accountId, upload.id) : { demoUrl };
      const demo = faceitDemo(kept?.demoUrl ?? '');
      if (demo === null) throw notFound();
      const Location = await signedAddress(service.settings, demo);
      return new Response(null, { status: 302, headers: { Location, 'Cache-Control': 'no-store' } });
    }
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

/** A host gets only the assets of a job whose lease it holds. `use`: an `AssetUse`. */
export const fetchAsset = operation({
  route: 'GET /gateway/v1/jobs/:id/assets/:use',
  scope: 'host',
  query: LeaseQuery,
  handler: async ({ images, ...service }, { caller: { id: hostId }, params, query }) => {
    const { fence } = query();
    const { assetKeys, isDone } = await requireLease(service, params.id, { hostId, fence });
    if (isDone) throw problemOfRefusal('stale_lease');
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
  fetchDemo: {
    summary: 'Fetch an uploaded demo',
    description:
      'Returns the file of a grant with `is_uploaded_demo` as the account uploaded it, plain or compressed. With `Range`, and the `ETag` as `If-Range`, a broken download continues. Answers 404 if the demo was deleted or is stored elsewhere. For a demo of FACEIT, redirects to its signed address: fetch that without the token. Answers `demo_refused` if FACEIT refuses.',
    answers: {
      200: { description: 'The bytes of the file.', content: { types: ['application/octet-stream'] } },
      302: { description: 'The demo is at this address, for some minutes.' },
      206: { description: 'A range of the file.', content: { types: ['application/octet-stream'] } },
    },
    problems: ['stale_lease', 'range_not_satisfiable', 'demo_refused', 'unavailable'],
  },
  fetchAsset: {
    summary: 'Fetch an asset of the order',
    description:
      'The image or music that the order names for a use (`watermark`, `intro`, `outro`, `music`), as it was uploaded. 404 if it names none, or if it was deleted.',
    answers: { 200: { description: 'The bytes of the file.', content: { types: [...IMAGE_TYPES, ...SOUND_TYPES] } } },
    problems: ['stale_lease'],
  },
});
