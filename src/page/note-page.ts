import { PAGE_CACHING, weightsOf } from '#http/headers.ts';
import { notFound } from '#http/problem.ts';
import type { UnroutedRequest } from '#http/router.ts';
import { BRAND, html } from './html.ts';
import { type BuiltPage, makePage, sendPage } from './page.ts';

/** Why there is no player. */
export type Note = keyof typeof NOTES;

const NOTES = {
  deleted: {
    status: 410,
    title: 'This clip was deleted',
    text: 'Its owner removed it, or it was not kept and its time was up. It cannot be brought back from here.',
  },
  removed: {
    status: 410,
    title: 'This clip was removed',
    text: 'The operator of this service has taken it down.',
  },
  unknown: {
    status: 404,
    title: 'No such clip',
    text: 'Nothing was ever shown at this address. Check that the link is whole: the part after /clips/ has 36 characters.',
  },
} as const;

const made = new Map<string, BuiltPage>();

/**
 * Answers with a page that explains why there is no player, instead of the clip page or of the embed. A clip that is
 * being made is unknown, also if its replay can be played.
 */
export async function sendNote(state: Note | 'replay', kind: 'page' | 'embed', request: Request): Promise<Response> {
  const note = state === 'replay' ? 'unknown' : state;
  const name = `${note} ${kind}`;
  const page = made.get(name) ?? (await makeNote(note, kind));
  made.set(name, page);
  return sendPage(page, request);
}

function makeNote(note: Note, kind: 'page' | 'embed'): Promise<BuiltPage> {
  const { status, title, text } = NOTES[note];
  return makePage({
    status,
    cacheControl: PAGE_CACHING,
    title: `${title} · Tickreel`,
    frameAncestors: kind === 'embed' ? '*' : "'self'",
    bodyClass: `${kind} noted`,
    head: html`<meta name="robots" content="noindex">`,
    body: html`${kind === 'page' ? html`<header class="top">${BRAND}</header>` : null}
<main class="note"><div class="blip ${note}" aria-hidden="true"></div>
<h1>${title}</h1><p>${text}</p>${kind === 'page' ? html`<p><a href="/">What is Tickreel?</a></p>` : null}</main>`,
  });
}

/** Answers for any other address: below `/clips` a browser gets the page of an unknown clip. */
export function unknownAddress({ request, url }: UnroutedRequest): Promise<Response> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && /^\/clips(\/|$)/.test(url.pathname) && prefersHtml(request, false))
    return sendNote('unknown', 'page', request);
  throw notFound();
}

/** Returns whether `Accept` (RFC 9110 section 12.5.1) prefers HTML to JSON; `fallback` if it names neither. */
export function prefersHtml({ headers }: Request, fallback: boolean): boolean {
  const [first] = [...weightsOf(headers.get('Accept'))]
    .filter(([type, weight]) => /^(text\/html|application\/(\w+\+)?json)$/.test(type) && weight > 0)
    .sort(([, a], [, b]) => b - a);
  return first ? first[0] === 'text/html' : fallback;
}
