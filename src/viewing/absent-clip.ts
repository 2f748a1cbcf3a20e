import { weightsOf } from '#http/accept.ts';
import { gone, notFound, ProblemError } from '#http/problem.ts';
import type { Handler, UnroutedRequest } from '#http/router.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import type { Service } from '#service/lib/service.ts';
import { sendNote } from '../page/note-page.ts';

/**
 * Without a clip, people get a page and programs get a problem. `Accept` decides. If it names neither HTML nor JSON,
 * the URL of a page answers with a page, and the URL of a file with a problem.
 */

/** Answers with a page that shows why there is no clip, or with a problem if `Accept` prefers one. */
export function withProblems<Name extends string>(handler: Handler<Service, Name>): Handler<Service, Name> {
  return async (service, context) => {
    const response = await handler(service, context);
    if (response.status < 400 || prefersHtml(context.request, true)) return response;
    throw response.status === 410 ? gone() : notFound();
  };
}

/** Answers for a missing file: with a page if a browser opened its address, else with a problem. */
export function withPages(handler: Handler<Service, 'id'>): Handler<Service, 'id'> {
  return async (service, context) => {
    try {
      return await handler(service, context);
    } catch (error) {
      const isAbsent = error instanceof ProblemError && (error.kind === 'not_found' || error.kind === 'gone');
      if (!isAbsent || !prefersHtml(context.request, false)) throw error;
      const { state } = await loadPublicRecord(service, context.params.id, context);
      return sendNote(state === 'ready' ? 'unknown' : state, 'page', context.request);
    }
  };
}

/** Answers for any other address: below `/clips` a browser gets the page of an unknown clip. */
export function unknownAddress({ request, url }: UnroutedRequest): Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && /^\/clips(\/|$)/.test(url.pathname) && prefersHtml(request, false))
    return sendNote('unknown', 'page', request);
  throw notFound();
}

/** Returns whether `Accept` (RFC 9110 section 12.5.1) prefers HTML to JSON; `fallback` if it names neither. */
function prefersHtml({ headers }: Request, fallback: boolean): boolean {
  const [first] = [...weightsOf(headers.get('Accept'))]
    .filter(([type, weight]) => /^(text\/html|application\/(\w+\+)?json)$/.test(type) && weight > 0)
    .sort(([, a], [, b]) => b - a);
  return first ? first[0] === 'text/html' : fallback;
}
