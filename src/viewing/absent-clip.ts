import { gone, notFound, ProblemError } from '#http/problem.ts';
import type { Handler } from '#http/router.ts';
import { loadPublicRecord } from '#service/clip/public-clip.ts';
import type { Service } from '#service/lib/service.ts';
import { prefersHtml, sendNote } from '../page/note-page.ts';

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
      const record = await loadPublicRecord(service, context.params.id, context);
      return sendNote(service, record, 'page', context.request);
    }
  };
}
