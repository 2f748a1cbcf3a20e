import { type IRequest, IttyRouter } from 'itty-router';
import { LATER_VERSION } from '../domain/later-version.ts';
import { type Method, methodOf, pathOf, type RouteLine, type RouteTable } from '../protocol/routes.ts';
import { notFound, ProblemError, problemResponse } from './problem.ts';
import { discardBody } from './read-body.ts';

/** What a handler knows of its request beside the request itself. */
export interface RequestContext {
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly url: URL;
  waitUntil(work: Promise<unknown>): void;
}

export type Handler = (request: Request, context: RequestContext) => Response | Promise<Response>;

/** One line of the URL contract with its handler. `path` is in the router's pattern language: `/api/jobs/:id`. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly handler: Handler;
}

type Platform = Pick<ExecutionContext, 'waitUntil'>;

export type Fetch = (request: Request, platform: Platform) => Promise<Response>;

/** Gives each line of a table its handler. A line without one, and one without a line, do not compile. */
export function bindRoutes<T extends RouteTable>(table: T, handlers: Readonly<Record<keyof T, Handler>>): Route[] {
  return (Object.keys(table) as (keyof T & string)[]).map((name) => {
    const line: RouteLine = table[name] as RouteLine;
    return { method: methodOf(line), path: pathOf(line), handler: handlers[name] };
  });
}

/**
 * Builds the router of a table of routes. Whatever happens, the answer is a response with an `X-Request-Id`: a thrown
 * problem is answered as such, anything else as a 500 that is logged and tells the client nothing more; a known path
 * with another method gets 405 with `Allow`. What answers GET answers HEAD alike, without the body (RFC 9110 9.3.2).
 * What the handler left of the request's body is read before the answer goes out, so that the connection stays usable.
 * `unknown` answers at every other path.
 */
export function createRouter(routes: readonly Route[], unknown: Handler): Fetch {
  const router = IttyRouter<IRequest, [string, Platform]>();
  for (const { method, path, handler } of routes.flatMap(withHead)) {
    router[method.toLowerCase()]?.(path, withContext(handler));
  }
  for (const [path, allow] of allowedMethods(routes.flatMap(withHead))) {
    router.all(path, () => {
      throw new ProblemError('method_not_allowed', `Allowed here: ${allow}.`, { headers: { Allow: allow } });
    });
  }
  router.all('*', withContext(unknown));
  return async (request, platform) => {
    const requestId = crypto.randomUUID();
    const response = await answer(() => router.fetch(request, requestId, platform), requestId);
    await discardBody(request);
    const out = new Response(request.method === 'HEAD' ? null : response.body, response);
    if (request.method === 'HEAD') await response.body?.cancel();
    out.headers.set('X-Request-Id', requestId);
    return out;
  };
}

function withContext(handler: Handler) {
  return (request: IRequest, requestId: string, platform: Platform) =>
    handler(request as unknown as Request, {
      requestId,
      params: request.params,
      url: new URL(request.url),
      waitUntil: (work) => platform.waitUntil(work),
    });
}

async function answer(handle: () => Promise<Response | undefined>, requestId: string): Promise<Response> {
  try {
    return (await handle()) ?? problemResponse(notFound(), requestId);
  } catch (error) {
    if (error instanceof ProblemError) return problemResponse(error, requestId);
    // biome-ignore lint/suspicious/noConsole: the platform's log is the console
    console.error(JSON.stringify({ message: 'request failed', requestId, error: describe(error) }));
    if (mayPass(error)) {
      const headers = { 'Retry-After': '1' };
      return problemResponse(new ProblemError('unavailable', 'Send the request again.', { headers }), requestId);
    }
    return problemResponse(new ProblemError('internal', 'The request could not be finished.'), requestId);
  }
}

/** What the platform says of a call to an object that moved, or has too much to do; and a rollback that is under way. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.message.includes(LATER_VERSION)) return true;
  return ('retryable' in error && error.retryable === true) || ('overloaded' in error && error.overloaded === true);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function withHead(route: Route): Route[] {
  return route.method === 'GET' ? [route, { ...route, method: 'HEAD' }] : [route];
}

function allowedMethods(routes: readonly Route[]): Map<string, string> {
  const allowed = new Map<string, string>();
  for (const { path, method } of routes) {
    const before = allowed.get(path);
    allowed.set(path, before ? `${before}, ${method}` : method);
  }
  return allowed;
}
