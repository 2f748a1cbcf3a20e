import type { Fetch } from './router.ts';

/**
 * Grants a preflight every header that it asks for: tracing libraries add headers of their own to each request. A `*`
 * would not cover `Authorization`.
 */
const granted = (request: Request) => ({
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': request.headers.get('Access-Control-Request-Headers') ?? '',
  // Browsers cache it for two hours at most.
  'Access-Control-Max-Age': '7200',
});
/** What a script of another site may read. */
const EXPOSED = [
  ...['X-Request-Id', 'Location', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  ...['Idempotent-Replayed', 'Idempotency-Body-Differs'],
].join(', ');

/**
 * Allows pages of any site to call the paths below one. Each request has a key, which browsers never add by themselves
 * as they add cookies, so other sites gain no rights. Preflights are answered here.
 */
export function withCors(app: Fetch, below: string): Fetch {
  return async (request, platform) => {
    if (!new URL(request.url).pathname.startsWith(below)) return app(request, platform);
    const isAskedBefore = request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method');
    const response = isAskedBefore
      ? new Response(null, { status: 204, headers: granted(request) })
      : await app(request, platform);
    response.headers.set('Access-Control-Allow-Origin', '*');
    response.headers.set('Access-Control-Expose-Headers', EXPOSED);
    return response;
  };
}
