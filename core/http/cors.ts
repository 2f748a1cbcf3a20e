import type { Fetch } from './router.ts';

/** What a page of another site may send, and what its script may read of an answer. */
const ALLOWED = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Last-Event-ID, X-Request-Id',
  // Browsers keep it for two hours at most.
  'Access-Control-Max-Age': '7200',
};
const EXPOSED = [
  ...['X-Request-Id', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  ...['Idempotent-Replayed', 'Idempotency-Body-Differs'],
].join(', ');

/**
 * Lets pages of any site call what lies below a path, whose caller shows a key with each request: a browser adds no key
 * by itself as it does cookies, so there is nothing that another site could borrow. What asks beforehand is answered
 * here, without looking at anything.
 */
export function withCors(app: Fetch, below: string): Fetch {
  return async (request, platform) => {
    if (!new URL(request.url).pathname.startsWith(below)) return app(request, platform);
    const isAskedBefore = request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method');
    const response = isAskedBefore
      ? new Response(null, { status: 204, headers: ALLOWED })
      : await app(request, platform);
    response.headers.set('Access-Control-Allow-Origin', '*');
    response.headers.set('Access-Control-Expose-Headers', EXPOSED);
    return response;
  };
}
