import { weightsOf } from '#http/accept.ts';
import { notFound, ProblemError } from '#http/problem.ts';
import type { Context } from '#http/router.ts';
import type { Service } from '#service/service.ts';
import type { PageHandler } from '../page-handler.ts';
import { loadPublicRecord } from '../public-clip.ts';
import { sendNote } from './note-page.ts';

/**
 * What is not there is told to people by a page and to programs by a problem. `Accept` says which one asks; where it
 * names neither, what the address has otherwise decides: a page for a page, a problem for a file.
 */

/** A page that shows why there is no clip, unless a problem was asked for. */
export function withProblems<Name extends string>(handler: PageHandler<never, Name>): PageHandler<never, Name> {
  return async (service, context) => {
    const response = await handler(service, context);
    if (response.status < 400 || prefersHtml(context.request, true)) return response;
    throw response.status === 410 ? new ProblemError('gone', 'This clip was deleted.') : notFound();
  };
}

/** A file that is not there, or a page in its place for somebody who opened its address in a browser. */
export function withPages<Parts extends keyof Service>(handler: PageHandler<Parts, 'id'>): PageHandler<Parts, 'id'> {
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

/** Anything else: below `/clips` a browser gets the page for clips that never were. */
export function unknownAddress({ request, url }: Context): Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && /^\/clips(\/|$)/.test(url.pathname) && prefersHtml(request, false))
    return sendNote('unknown', 'page', request);
  throw notFound();
}

/** Whether `Accept` (RFC 9110 section 12.5.1) prefers a page to JSON; `unsaid` where it names neither. */
function prefersHtml({ headers }: Request, unsaid: boolean): boolean {
  const [first] = [...weightsOf(headers.get('Accept'))]
    .filter(([type, weight]) => /^(text\/html|application\/(\w+\+)?json)$/.test(type) && weight > 0)
    .sort(([, a], [, b]) => b - a);
  return first ? first[0] === 'text/html' : unsaid;
}
