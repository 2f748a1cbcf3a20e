import { type IRequest, IttyRouter } from 'itty-router';
import type * as z from 'zod';
import { isUuid } from '#domain/lib/ids.ts';
import type { Log } from '#platform/log.ts';
import { HOP_HEADER } from '#protocol/job/webhook.ts';
import { type Method, methodOf, pathOf, type RouteLine } from '#protocol/lib/routes.ts';
import { notFound, ProblemError, problemResponse } from './problem.ts';
import { type BodyMemory, bodyMemories, discardBody, parseQuery, readShape } from './read-body.ts';
import { type AnswerBody, type Answers, type Reply, type ReplyWith, reply, toResponse } from './reply.ts';
import { toProblem } from './to-problem.ts';

/**
 * A request as a handler gets it. `Name`: the parameters of its path. `Caller`: who sent it. `A`: the shapes of its
 * answers.
 */
export interface Context<
  Name extends string = never,
  Caller = null,
  Query = never,
  Body = never,
  A extends Answers = Record<never, never>,
> {
  readonly request: Request;
  readonly requestId: string;
  readonly caller: Caller;
  readonly params: Readonly<Record<Name, string>>;
  readonly url: URL;
  /** Parses the query. Throws a 400 problem with every broken rule. */
  readonly query: () => Query;
  /** Reads the JSON body. Rejects with a problem: 415, 413, 408, or 400 with every broken rule. */
  readonly body: () => Promise<Body>;
  /** Creates the answer in JSON. Files, streams and pages are a `Response`. */
  readonly reply: ReplyWith<A>;
  waitUntil(work: Promise<unknown>): void;
}

type Answered<Value> = Reply<Value> | Response;

export type Handler<
  Service,
  Name extends string = never,
  Caller = null,
  Query = never,
  Body = never,
  A extends Answers = Record<never, never>,
> = (
  service: Service,
  context: Context<Name, Caller, Query, Body, A>,
) => Answered<AnswerBody<A>> | Promise<Answered<AnswerBody<A>>>;

/** The parts of an operation that the router uses. `Value`: the bodies of its replies. */
export interface Endpoint<Service, Caller, Value = unknown> {
  readonly route: RouteLine;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Bytes of a JSON body; 256 KiB by default. */
  readonly bodyLimit?: number;
  readonly handler: (service: Service, context: Context<string, Caller>) => Answered<Value> | Promise<Answered<Value>>;
}

/** How operations of one kind of caller admit requests. */
export interface CallerAdmission<Operation, Caller> {
  /** Identifies the caller. Throws a problem if they may not call the operation. */
  readonly admit: (request: Request, operation: Operation) => Caller | Promise<Caller>;
  /** Creates the counter of the bytes of a body. Without it they are not counted. */
  readonly bodyMemoryOf?: (caller: Caller) => BodyMemory;
  /** Wraps each answer. */
  readonly around?: Around<Caller, Operation>;
  /** Parses a parameter of the path. Throws a problem for an invalid one. */
  readonly readParam: (text: string, name: string) => string;
}

/** Returns the answer of `answer`, called once. `id` names the operation. */
export type Around<Caller, Operation = unknown> = <Value>(
  id: string,
  context: Context<string, Caller>,
  answer: () => Promise<Answered<Value>>,
  operation: Operation,
) => Promise<Answered<Value>>;

/** A method and path with their handler. `path` is in the router's pattern language: `/api/jobs/:id`. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly answer: Answer;
}

/** A request before it is matched to an operation. */
export type UnroutedRequest = Omit<Context<string>, 'query' | 'body' | 'reply'>;
type Answer = (context: UnroutedRequest) => Response | Promise<Response>;

interface Platform {
  waitUntil(work: Promise<unknown>): void;
}

export type Fetch = (request: Request, platform: Platform) => Promise<Response>;

/** Binds an operation to the service and to the scope of its callers. */
export function bindEndpoint<Service, Caller, E extends Endpoint<Service, Caller>>(
  id: string,
  endpoint: E,
  service: Service,
  admission: CallerAdmission<E, Caller>,
): Route {
  const answer: Answer = async (context) => toResponse(await callEndpoint(id, endpoint, service, admission, context));
  return { method: methodOf(endpoint.route), path: pathOf(endpoint.route), answer };
}

/** Admits a request to an operation and returns what its handler answers. Rejects with a problem. */
export async function callEndpoint<Service, Caller, Value, E>(
  id: string,
  endpoint: E & Endpoint<Service, Caller, Value>,
  service: Service,
  { admit, readParam, bodyMemoryOf, around = (_id, _context, answer) => answer() }: CallerAdmission<E, Caller>,
  context: UnroutedRequest,
): Promise<Answered<Value>> {
  const { request, url } = context;
  const caller = await admit(request, endpoint);
  let parsed: Promise<never> | undefined;
  const params = Object.entries(context.params).map(([key, text]) => [key, readParam(text, key)]);
  const asked: Context<string, Caller> = {
    ...context,
    caller,
    params: Object.fromEntries(params),
    query: () => parseQuery(url.searchParams, endpoint.query as z.ZodType<never>),
    body: () => (parsed ??= readShape(request, endpoint.body as z.ZodType<never>, endpoint.bodyLimit)),
    reply,
  };
  const memory = bodyMemoryOf?.(caller);
  if (memory) bodyMemories.set(request, memory);
  return around(id, asked, async () => endpoint.handler(service, asked), endpoint).finally(() => memory?.release());
}

/** Parses an id into its canonical form. Throws a 404 problem for anything else. */
export function readId(text: string): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw notFound();
  return id;
}

interface RouterOptions {
  /** The service's URL, for the types of problems. */
  readonly baseUrl: string;
  readonly log: Log;
  /** Whether to log a request. */
  readonly isSampled?: () => boolean;
}

/**
 * Creates the router of a table of routes. Every request gets a response with an `X-Request-Id`. A thrown problem
 * becomes its response, any other error a logged 500 without details, and a known path with another method 405 with
 * `Allow`. HEAD is answered like GET, without the body (RFC 9110 9.3.2). The rest of a request's body is read before
 * the response is sent, so that the connection stays usable. `unknown` answers all other paths.
 */
export function createRouter(routes: readonly Route[], unknown: Answer, options: RouterOptions): Fetch {
  const { log, isSampled = () => false } = options;
  const router = IttyRouter<Routed, [string, Platform]>();
  const add = {
    GET: router.get,
    HEAD: router.head,
    POST: router.post,
    PUT: router.put,
    PATCH: router.patch,
    DELETE: router.delete,
  } satisfies Record<Method, unknown>;
  const served = routes.flatMap(withHead);
  for (const { method, path, answer } of served) add[method](path, withContext(answer));
  for (const [path, allow] of allowedMethods(served)) {
    router.all(path, () => {
      throw new ProblemError('method_not_allowed', `Allowed here: ${allow}.`, { headers: { Allow: allow } });
    });
  }
  router.all('*', withContext(unknown));
  return async (request, platform) => {
    const requestId = crypto.randomUUID();
    const causedBy = idOf(request.headers.get('X-Request-Id'));
    const response = await answerOrProblem(
      () => (request.headers.has(HOP_HEADER) ? Promise.reject(looped()) : router.fetch(request, requestId, platform)),
      { requestId, causedBy },
      options,
    );
    await discardBody(request);
    if (isSampled()) log('request answered', { requestId, ...summary(request, response.status) }, 'info');
    if (request.method !== 'HEAD') return withRequestId(response, requestId);
    await response.body?.cancel();
    return withRequestId(new Response(null, response), requestId);
  };
}

/** Answers `//api/clips` as `/api/clips`: many clients append a path to a base URL that ends in a slash. */
export function withOneSlash(app: Fetch): Fetch {
  return (request, platform) => {
    const url = new URL(request.url);
    if (!url.pathname.startsWith('//')) return app(request, platform);
    url.pathname = url.pathname.replace(/^\/+/, '/');
    return app(new Request(url, request), platform);
  };
}

function withRequestId(response: Response, requestId: string): Response {
  try {
    response.headers.set('X-Request-Id', requestId);
    return response;
  } catch {
    // Headers of responses from a cache or another server are immutable.
    return withRequestId(new Response(response.body, response), requestId);
  }
}

/** Excludes what may be secret: the query, and keys that somebody has put into the path. */
function summary({ method, url }: Request, status: number) {
  return { method, path: new URL(url).pathname.replaceAll(/(tr_[a-z]+_)\w+/g, '$1…'), status };
}

/** A request as the routing library passes it. */
type Routed = Request & IRequest;

/** Refuses webhooks of this service to itself: one request could otherwise cause any number of others. */
function looped(): ProblemError {
  return new ProblemError('loop_detected', 'A webhook of this service led back to it.');
}

function withContext(answer: Answer) {
  return (request: Routed, requestId: string, platform: Platform) =>
    answer({
      request,
      requestId,
      caller: null,
      params: request.params,
      url: new URL(request.url),
      waitUntil: (work) => platform.waitUntil(work),
    });
}

/** Returns the handler's response, or the problem that it threw. */
async function answerOrProblem(
  handle: () => Promise<Response | undefined>,
  { requestId, causedBy }: { requestId: string; causedBy: string | null },
  { log, baseUrl }: RouterOptions,
): Promise<Response> {
  try {
    return (await handle()) ?? problemResponse(notFound(), requestId, baseUrl);
  } catch (error) {
    const ids = { requestId, ...(causedBy === null ? {} : { causedBy }) };
    return problemResponse(toProblem(error, ids, log), requestId, baseUrl);
  }
}

/** Returns the id that the sender gave its request, if it is a UUID. Nothing else reaches the log. */
function idOf(sent: string | null): string | null {
  return sent !== null && isUuid(sent) ? sent : null;
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
